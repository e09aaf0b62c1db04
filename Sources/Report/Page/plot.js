// The chart of the chosen values: over records, with one line for each backend and its name at the end of the line.
const Plot = (() => {
  const { svg } = Elements;
  const height = 320;
  const edge = { left: 64, top: 34, bottom: 40 };
  // On a phone the chart is as wide as the screen, so that text keeps its size.
  const widest = 620;

  const scale = (values, [from, to], kind) => {
    const most = Math.max(...values);
    const least = Math.min(...values);
    if (kind === "linear") return (value) => from + (value / most) * (to - from);
    const [low, high] = most / least < 1.5 ? [least / 2, most * 2] : [least / 1.15, most * 1.15];
    return (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  };

  // Returns round numbers: powers of ten, and with few of these also 2 and 5; on a linear axis, multiples from 0 on.
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

  // The approximate width of a letter in pixels.
  const letter = 6.6;
  // Returns a name with its value for a space in pixels. A long name is cut in the middle, because settings often
  // differ at the end.
  const fitted = (name, value, room) => {
    const most = Math.max(Math.floor(room / letter) - value.length, 4);
    if (name.length <= most) return name + value;
    const half = Math.floor((most - 1) / 2);
    return `${name.slice(0, most - 1 - half)}\u2026${name.slice(-half)}${value}`;
  };

  // Returns the names at the right, moved apart if lines end close to each other.
  const labels = (ends) => {
    const sorted = [...ends].sort((one, other) => one.y - other.y);
    let last = -Infinity;
    for (const end of sorted) {
      end.label = Math.max(end.y, last + 14);
      last = end.label;
    }
    // At the bottom, where there is no more space, they are moved up again.
    let next = height - edge.bottom + 14;
    for (const end of [...sorted].reverse()) {
      end.label = Math.min(end.label, next - 14);
      next = end.label;
    }
    return sorted;
  };

  const draw = (title, series, kind, write) =>
    new Set(series.flatMap(({ points }) => points.map(({ x }) => x))).size > 1
      ? lines(title, series, kind, write) : bars(title, series, kind, write);

  const told = ({ backend }, point, write) => {
    const { row } = point.cell;
    const exact = row.exact.find(([name]) => name === "p50_ns" || name === "ops_per_s");
    return `${backend.name}, ${Numbers.grouped(point.x)} records: ${write(point.value)}` +
      (exact ? ` (${exact[0]} ${exact[1]})` : "");
  };

  const picture = (title, series, size, write) => {
    const summary = series.map(({ backend, points }) =>
      `${backend.name}: ${points.map((point) => `${write(point.value)} at ${Numbers.grouped(point.x)}`).join(", ")}`);
    return svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, ...size, class: "chart", role: "img" },
      svg("title", {}, title), svg("desc", {}, `${summary.join(". ")}.`),
      text(fitted(title, "", size.width - 60), 4, 18, "heading"));
  };

  // Returns the width of the screen, up to a limit.
  const room = () => Math.max(320, Math.min(widest, document.documentElement.clientWidth - 28));

  // Returns a chart for a single size: a bar from 0 for each backend, or a dot on a logarithmic axis, which has no 0.
  const bars = (title, series, kind, write, width = room()) => {
    const one = 24;
    const chart = picture(title, series, { width, height: edge.top + series.length * one + 8 }, write);
    const left = Math.min(Math.max(...series.map(({ backend }) => backend.name.length * letter)) + 16, width * 0.4);
    const across = scale(series.map(({ points }) => points[0].value), [left + 4, width - 90], kind);
    series.forEach((each, index) => {
      const [point] = each.points;
      const top = edge.top + index * one;
      chart.append(text(fitted(each.backend.name, "", left - 12), left - 8, top + 15, "", "end"));
      const place = kind === "log"
        ? ["circle", { cx: across(point.value), cy: top + 11, r: 5 }]
        : ["rect", { x: left, y: top + 4, width: Math.max(across(point.value) - left, 2), height: 14 }];
      chart.append(svg("line", { class: "grid", x1: left, x2: width - 90, y1: top + 11, y2: top + 11 }));
      chart.append(svg(place[0], { class: `bar ${each.backend.css}`, ...place[1], "data-cell": point.cell.row.cell },
        svg("title", {}, each.words ?? told(each, point, write))));
      chart.append(text(write(point.value), Math.max(across(point.value), left + 2) + 8, top + 15, "small"));
    });
    return chart;
  };

  // Returns a chart of times that are no rows of their own, with a dot for each.
  const dots = (title, values, width) => bars(
    title,
    values.map(({ backend, value }) => ({
      backend, words: `${backend.name}: ${Numbers.time(value)}`, points: [{ x: 0, value, cell: { row: { cell: null } } }],
    })),
    "log", Numbers.time, width);

  // Returns the latency over time of one process: a line of the means of its stretches of operations, and a triangle at
  // each operation that took many times the median.
  const course = (title, css, { operations, means, pauses }, width) => {
    const size = { width, height: 150 };
    const chart = svg("svg", { viewBox: `0 0 ${width} 150`, ...size, class: "chart", role: "img" },
      svg("title", {}, title), text(title, 4, 18, "heading"));
    const values = [...means, ...pauses.map(([, value]) => value)];
    const x = (index) => edge.left + ((index + 0.5) / means.length) * (width - edge.left - 12);
    const y = scale(values, [110, edge.top], "log");
    for (const tick of ticks(values, "log")) {
      chart.append(svg("line", { class: "grid", x1: edge.left, x2: width - 12, y1: y(tick), y2: y(tick) }));
      chart.append(text(Numbers.time(tick).replace(".0 ", " "), edge.left - 6, y(tick) + 4, "tick", "end"));
    }
    chart.append(svg("path", {
      class: `line ${css}`,
      d: means.map((mean, index) => `${index === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(mean).toFixed(1)}`).join(""),
    }));
    for (const [index, value] of pauses) {
      const [left, top] = [x(index), y(value)];
      chart.append(svg("path", { class: `point ${css}`, d: `M${left - 4} ${top + 4}h8l-4 -8z` }, svg("title", {}, Numbers.time(value))));
    }
    chart.append(text(`${Numbers.grouped(operations)} operations of one process, in order`, (edge.left + width) / 2, 138, "tick", "middle"));
    return chart;
  };

  const lines = (title, series, kind, write) => {
    const width = room();
    const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((one, other) => one - other);
    const values = series.flatMap(({ points }) => points.map(({ value }) => value));
    const names = series.map(({ backend, points }) => `${backend.name} ${write(points[points.length - 1].value)}`);
    const right = Math.min(Math.max(...names.map((name) => name.length * letter)) + 18, width * 0.45);
    const x = scale(sizes, [edge.left + 8, width - right], kind);
    const y = scale(values, [height - edge.bottom, edge.top + 10], kind);
    const chart = picture(title, series, { width, height }, write);
    for (const tick of ticks(values, kind)) {
      chart.append(svg("line", { class: "grid", x1: edge.left, x2: width - right, y1: y(tick), y2: y(tick) }));
      chart.append(text(tick === 0 ? "0" : write(tick).replace(".0 ", " ").replace(/\.0×$/, "×"), edge.left - 6, y(tick) + 4, "tick", "end"));
    }
    let lastX = -Infinity;
    for (const size of sizes) {
      // On a linear axis small sizes are close to each other; the text of one is about 40 wide.
      if (x(size) - lastX < 44) continue;
      lastX = x(size);
      chart.append(text(Numbers.grouped(size), x(size), height - edge.bottom + 16, "tick", "middle"));
    }
    chart.append(text("records in the store", (edge.left + width - right) / 2, height - 6, "tick", "middle"));
    const places = series.flatMap(({ backend, points }) => points.map((point) => {
      const { row } = point.cell;
      const words = told({ backend }, point, write);
      return { backend, row, words, value: point.value, left: x(point.x), top: y(point.value) };
    }));
    const near = (one) => places.filter(({ left, top }) => Math.hypot(left - one.left, top - one.top) < 8);
    const ends = [];
    for (const { backend } of series) {
      const own = places.filter((place) => place.backend === backend);
      chart.append(svg("path", {
        class: `line ${backend.css}`, "stroke-dasharray": backend.dashes,
        d: own.map(({ left, top }, index) => `${index === 0 ? "M" : "L"}${left.toFixed(1)} ${top.toFixed(1)}`).join(""),
      }));
      for (const place of own) {
        // Points that overlap show the texts of all.
        const words = near(place).map((one) => one.words).join("; ");
        chart.append(svg("circle", {
          class: `point ${backend.css}`, cx: place.left, cy: place.top, r: 5, "data-cell": place.row.cell,
        }, svg("title", {}, words)));
      }
      const { left, top, value } = own[own.length - 1];
      ends.push({ x: left, y: top, backend, value });
    }
    for (const end of labels(ends)) {
      const start = width - right + 14;
      chart.append(svg("line", { class: "leader", x1: end.x + 6, y1: end.y, x2: start - 3, y2: end.label }));
      chart.append(text(fitted(end.backend.name, ` ${write(end.value)}`, right - 14), start, end.label + 4, "small"));
    }
    return chart;
  };

  return { draw, dots, course };
})();
