// The chart of what was chosen: values over records, one line for each backend, with its name at its end.
const Plot = (() => {
  const { svg } = Elements;
  const height = 320;
  const edge = { left: 64, right: 150, top: 34, bottom: 40 };
  // On a phone as wide as its screen, so that words keep their size.
  const widest = 620;

  const scale = (values, [from, to], kind) => {
    const most = Math.max(...values);
    const least = Math.min(...values);
    if (kind === "linear") return (value) => from + (value / most) * (to - from);
    const [low, high] = most / least < 1.5 ? [least / 2, most * 2] : [least / 1.15, most * 1.15];
    return (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  };

  // Round numbers: powers of ten, with 2 and 5 where there is room; multiples from 0 on a linear axis.
  const ticks = (values, kind) => {
    const most = Math.max(...values);
    const least = Math.min(...values);
    if (kind === "linear") {
      const power = 10 ** Math.floor(Math.log10(most));
      const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((part) => most / part <= 5) ?? power * 2;
      return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
    }
    const [low, high] = most / least < 1.5 ? [least / 2, most * 2] : [least / 1.15, most * 1.15];
    const exponents = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) exponents.push(power);
    const all = (factors) => exponents.flatMap((power) => factors.map((factor) => factor * 10 ** power))
      .filter((tick) => tick >= low && tick <= high);
    return all([1]).length >= 3 ? all([1]) : all([1, 2, 5]);
  };

  const text = (words, x, y, css, anchor = "start") => svg("text", { x, y, class: css, "text-anchor": anchor }, words);

  // A name with its value in the room at the right: of one that is too long the middle is left out, for settings often
  // differ at the end. A letter is about 6.4 wide.
  const label = (name, value) => {
    const room = Math.floor((edge.right - 14) / 6.4) - value.length - 1;
    if (name.length <= room) return `${name} ${value}`;
    const half = Math.floor((room - 1) / 2);
    return `${name.slice(0, room - 1 - half)}\u2026${name.slice(-half)} ${value}`;
  };

  // Names at the right, moved apart where lines end close to each other.
  const labels = (ends) => {
    const sorted = [...ends].sort((one, other) => one.y - other.y);
    let last = -Infinity;
    for (const end of sorted) {
      end.label = Math.max(end.y, last + 14);
      last = end.label;
    }
    const over = last - (height - edge.bottom);
    if (over > 0) for (const end of sorted) end.label -= over;
    return sorted;
  };

  const draw = (title, series, kind, write) => {
    const width = Math.max(320, Math.min(widest, document.documentElement.clientWidth - 28));
    const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((one, other) => one - other);
    const values = series.flatMap(({ points }) => points.map(({ value }) => value));
    const x = scale(sizes, [edge.left + 8, width - edge.right], sizes.length > 1 ? kind : "log");
    const y = scale(values, [height - edge.bottom, edge.top + 10], kind);
    const chart = svg("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img",
      "aria-label": `${title}. ` + series.map(({ backend, points }) =>
        `${backend.name}: ${points.map((point) => `${write(point.value)} at ${Numbers.grouped(point.x)}`).join(", ")}`).join(". "),
    }, text(title, 4, 18, "heading"));
    for (const tick of ticks(values, kind)) {
      chart.append(svg("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick) }));
      chart.append(text(tick === 0 ? "0" : write(tick).replace(".0 ", " ").replace(/\.0x$/, "x"), edge.left - 6, y(tick) + 4, "tick", "end"));
    }
    let lastX = -Infinity;
    for (const size of sizes) {
      // On a linear axis small sizes lie close to each other; the words of one are about 40 wide.
      if (x(size) - lastX < 44) continue;
      lastX = x(size);
      chart.append(text(Numbers.grouped(size), x(size), height - edge.bottom + 16, "tick", "middle"));
    }
    chart.append(text("records in the store", (edge.left + width - edge.right) / 2, height - 6, "tick", "middle"));
    const ends = [];
    for (const { backend, points } of series) {
      const places = points.map((point) => [x(point.x), y(point.value)]);
      chart.append(svg("path", {
        class: `line ${backend.css}`, "stroke-dasharray": backend.dashes,
        d: places.map(([left, top], index) => `${index === 0 ? "M" : "L"}${left.toFixed(1)} ${top.toFixed(1)}`).join(""),
      }));
      points.forEach((point, index) => {
        const [cx, cy] = places[index];
        const { row } = point.cell;
        const exact = row.exact.find(([name]) => name === "p50_ns" || name === "ops_per_s");
        const words = `${backend.name}, ${Numbers.grouped(point.x)} records: ${write(point.value)}` +
          (exact ? ` (${exact[0]} ${exact[1]})` : "");
        chart.append(svg("circle", { class: `point ${backend.css}`, cx, cy, r: 5, "data-cell": row.cell },
          svg("title", {}, words)));
      });
      const [endX, endY] = places[places.length - 1];
      ends.push({ x: endX, y: endY, backend, value: points[points.length - 1].value });
    }
    for (const end of labels(ends)) {
      const start = width - edge.right + 14;
      chart.append(svg("line", { class: "leader", x1: end.x + 6, y1: end.y, x2: start - 3, y2: end.label }));
      chart.append(text(label(end.backend.name, write(end.value)), start, end.label + 4, `small ${end.backend.css}-label`));
    }
    return chart;
  };

  return { draw };
})();
