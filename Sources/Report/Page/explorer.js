// The interactive matrix: the reader chooses a level, backends, workloads, sizes and a baseline. Verdicts and factors
// to the fastest are those of the report.
const Explorer = (() => {
  const { html, select, checks } = Elements;
  const fastest = "fastest";

  // Returns the levels of the run's saves, in the order of the tables. Reads have none.
  const promises = (data) => [
    ...new Set(data.lines.flatMap(({ contests }) => contests.map(({ promise }) => promise)).filter((one) => one !== null)),
  ];

  // Builds the controls, the table and the chart at the top of a section.
  const start = (section, id, data) => {
    const state = { chosen: defaults(data), sort: null, row: null, unknown: [] };
    const output = html("div", {});
    // The element is kept, so that screen readers announce changes of its content.
    const details = html("div", { class: "detail", "aria-live": "polite" });
    const chart = html("div", {});
    const show = () => {
      const table = output.querySelector(".table");
      const [left, top] = [table?.scrollLeft ?? 0, table?.scrollTop ?? 0];
      const tip = document.getElementById("tip");
      if (tip) tip.hidden = true;
      const shown = lines(state, data);
      // A row that is no longer shown has no details.
      if (!shown.some(({ cells }) => cells.some(({ row }) => row === state.row))) state.row = null;
      output.replaceChildren(...content(shown, state, data, draw));
      output.querySelector(".table")?.scrollTo(left, top);
      details.replaceChildren(...(state.row === null ? [] : Drawer.content(state.row, data)));
      chart.replaceChildren(...(shown.length > 0 ? [figure(state, data)] : []));
      const picture = chart.querySelector("svg");
      const rows = () => shown.flatMap(({ cells }) => cells.map(({ row }) => row)).filter((row) => row !== null);
      if (picture) {
        chart.firstChild.append(html("figcaption", {}, Downloads.buttons(() => picture, "matrix", rows, data)));
      }
    };
    const draw = () => {
      const before = details.firstChild?.textContent;
      state.unknown = [];
      show();
      keep(id, state, data);
      // Details of a newly chosen row are scrolled into view.
      if (state.row !== null && state.row.cell !== before) details.scrollIntoView({ block: "nearest" });
    };
    const controls = html("form", { class: "controls", "aria-label": "Choose what is compared" });
    const fill = () => controls.replaceChildren(...fields(state, data, draw));
    controls.addEventListener("submit", (event) => event.preventDefault());
    const read = () => {
      restore(state, data);
      fill();
      show();
    };
    const box = html("div", { class: "explorer", id: "explorer" }, controls, output, details, chart);
    // The tables below show the same for one level each. They are kept for printing, and for reading all levels.
    const tables = [...section.querySelectorAll(":scope > .block, :scope > details:not(.guide)")];
    const fold = html("details", { class: "printed" }, html("summary", {}, "A table for each promise"), tables);
    const guide = section.querySelector(":scope > .guide");
    section.insertBefore(box, guide);
    if (tables.length > 0) section.insertBefore(fold, guide);
    read();
    return read;
  };

  const defaults = (data) => ({
    promise: promises(data).find((promise) => promise === "as shipped (intact)") ?? promises(data)[0] ?? "",
    backends: new Set(data.backends.map(({ id }) => id)),
    workloads: new Set(data.lines.map((line) => line.work)),
    sizes: new Set(data.lines.map((line) => String(line.records))),
    baseline: fastest, show: "time", scale: "log",
    chart: (data.lines.find((line) => line.work === data.signature) ?? data.lines[0]).work,
  });

  const sets = ["backends", "workloads", "sizes"];
  // The value in the address if no option of a set is chosen.
  const none = "none";
  const single = {
    promise: promises,
    baseline: (data) => [fastest, ...data.backends.map(({ id }) => id)],
    show: () => ["time", "ratio"],
    scale: () => ["log", "linear"],
    chart: (data) => data.lines.map((line) => line.work),
  };

  // Reads the address. Names that this run does not have are ignored.
  const restore = (state, data) => {
    const { choices } = View.read();
    const all = defaults(data);
    state.chosen = defaults(data);
    state.unknown = [];
    for (const name of sets) {
      const named = choices.getAll(name);
      const known = named.filter((value) => all[name].has(value));
      if (known.length > 0 || named.includes(none)) state.chosen[name] = new Set(known);
      state.unknown.push(...named.filter((value) => !all[name].has(value) && value !== none));
    }
    for (const [name, values] of Object.entries(single)) {
      if (values(data).includes(choices.get(name))) state.chosen[name] = choices.get(name);
    }
    const sorted = choices.get("sort") ?? "";
    const column = sorted.replace(/ down$/, "");
    state.sort = column === "" ? null : { column, isDescending: sorted !== column };
    if (state.sort !== null && column !== "workload" && !all.backends.has(column)) state.sort = null;
    state.row = data.rows.find((row) => row.cell === choices.get("row")) ?? null;
  };

  const keep = (place, state, data) => {
    const all = defaults(data);
    const changes = {};
    for (const name of sets) {
      const chosen = [...state.chosen[name]];
      changes[name] = chosen.length === all[name].size ? null : chosen.length === 0 ? none : chosen;
    }
    for (const name of Object.keys(single)) {
      changes[name] = state.chosen[name] === all[name] ? null : state.chosen[name];
    }
    changes.sort = state.sort && state.sort.column + (state.sort.isDescending ? " down" : "");
    changes.row = state.row && state.row.cell;
    View.keep(place, changes);
  };

  const fields = ({ chosen }, data, draw) => {
    const one = (name, label, options) =>
      select(label, options, chosen[name], (value) => {
        chosen[name] = value;
        draw();
      });
    const names = data.backends.map(({ id, name }) => [id, name]);
    const works = [...new Set(data.lines.map((line) => line.work))].map((work) => [work, work]);
    const sizes = [...new Set(data.lines.map((line) => line.records))].sort((one, other) => one - other);
    return [
      checks("Backends", names, chosen.backends, draw),
      checks("Workloads", works, chosen.workloads, draw),
      checks("Records", sizes.map((size) => [String(size), Numbers.grouped(size)]), chosen.sizes, draw),
      ...(promises(data).length > 0 ? [one("promise", "Saves", promises(data).map((promise) => [promise, promise]))] : []),
      one("baseline", "Baseline", [[fastest, "the fastest of each line"], ...names]),
      one("show", "Figures", [["time", "times"], ["ratio", "factors"]]),
      one("chart", "Chart of", works),
      one("scale", "Axes", [["log", "logarithmic"], ["linear", "linear"]]),
    ];
  };

  // Returns a line of the table: its rows at the chosen level, by backend. Null if there are none.
  const compared = (line, chosen, data) => {
    const contest = line.contests.find(({ promise }) => promise === chosen.promise || promise === null);
    if (contest === undefined) return null;
    const isFastest = chosen.baseline === fastest;
    const entry = (backend) => contest.entries.find(({ row }) => row.backend === backend.index) ?? null;
    const baseline = data.backends.find(({ id }) => id === chosen.baseline);
    const base = isFastest || baseline === undefined ? null : entry(baseline)?.row ?? null;
    const cells = data.backends.filter(({ id }) => chosen.backends.has(id)).map((backend) => {
      const found = entry(backend);
      if (found === null) return { backend, row: null, marks: [] };
      const { row, marks, factor, isBest } = found;
      if (isFastest) return { backend, row, marks, factor, isBest };
      const isKnown = base !== null && base.time !== null && row.time !== null;
      return { backend, row, marks: marks.filter((mark) => mark === "^"), factor: isKnown ? row.time / base.time : null };
    });
    return { line, cells };
  };

  // Compares lists by the first elements that differ.
  const order = (left, right) => {
    const place = left.findIndex((value, index) => value !== right[index]);
    return place < 0 ? 0 : left[place] < right[place] ? -1 : 1;
  };

  const lines = ({ chosen, sort }, data) => {
    const shown = data.lines
      .filter((line) => chosen.workloads.has(line.work) && chosen.sizes.has(String(line.records)))
      .map((line) => compared(line, chosen, data)).filter((one) => one !== null);
    if (sort === null) return shown;
    const key = ({ line, cells }) => {
      if (sort.column === "workload") return [line.work, line.records];
      const cell = cells.find(({ backend }) => backend.id === sort.column);
      return (chosen.show === "ratio" ? cell?.factor : cell?.row?.time) ?? null;
    };
    const sorted = shown.map((one) => ({ one, key: key(one) })).sort((left, right) => {
      // Lines without a value come last in both directions.
      if (left.key === null || right.key === null) return (left.key === null) - (right.key === null);
      const sign = order([left.key].flat(), [right.key].flat());
      return sort.isDescending ? -sign : sign;
    });
    return sorted.map(({ one }) => one);
  };

  const content = (shown, state, data, draw) => {
    const unknown = state.unknown.length === 0 ? [] : [
      html("p", { role: "status" }, `Not in this run: ${state.unknown.join(", ")}.`),
    ];
    const backends = data.backends.filter(({ id }) => state.chosen.backends.has(id));
    if (shown.length === 0 || backends.length === 0) {
      return [...unknown, html("p", { role: "status" }, "Nothing is chosen: choose a backend, a workload and a size.")];
    }
    const caption = state.chosen.promise === "" ? "p50" : `p50, saves ${state.chosen.promise}`;
    const table = html("table", {},
      html("caption", {}, html("span", {}, caption)),
      html("thead", {}, html("tr", {},
        heading("workload", "workload", state, draw),
        backends.map(({ id, name }) => heading(id, name, state, draw)))),
      html("tbody", {}, shown.map(({ line, cells }) =>
        html("tr", {}, html("th", { scope: "row" }, line.task), cells.map((cell) => field(cell, state, draw))))));
    return [
      ...unknown,
      html("div", { class: "table", tabindex: "0", role: "region", "aria-label": "The matrix as chosen" }, table),
      html("p", { class: "footer" },
        "Select a header to sort by it, a figure for its exact values and how to measure it again. " +
          (state.chosen.baseline === fastest
            ? "Factors are taken round by round, and may differ from the quotient of two times."
            : "Factors are quotients of two times; whether they are a difference is judged against the fastest only.")),
      ...legend(shown, state, data),
    ];
  };

  // Returns the meanings of the marks in the table.
  const legend = (shown, state, data) => {
    const used = new Set(shown.flatMap(({ cells }) => cells.flatMap(({ row, marks }) =>
      row === null ? [] : [...row.marks, ...marks])));
    const words = Object.entries(data.terms).filter(([mark]) => used.has(mark)).map(([mark, told]) => `${mark}: ${told}`);
    return words.length === 0 ? [] : [html("p", { class: "footer" }, `${words.join("; ")}.`)];
  };

  const heading = (column, words, state, draw) => {
    const isSorted = state.sort?.column === column;
    const sorted = isSorted ? (state.sort.isDescending ? "descending" : "ascending") : null;
    const mark = isSorted ? (state.sort.isDescending ? " \u25BC" : " \u25B2") : "";
    const press = () => {
      // The order of presses: ascending, descending, unsorted.
      if (!isSorted) state.sort = { column, isDescending: false };
      else state.sort = state.sort.isDescending ? null : { column, isDescending: true };
      draw();
      focusAgain(`th button[data-column="${CSS.escape(column)}"]`);
    };
    return html("th", { scope: "col", "aria-sort": sorted, class: column === "workload" ? null : "number" },
      html("button", { type: "button", "data-column": column, onclick: press }, words + mark));
  };

  // Focuses the pressed button again, because it was recreated with the table.
  const focusAgain = (selector) => document.querySelector(`#explorer ${selector}`)?.focus({ preventScroll: true });

  const shade = (factor) => Math.floor(Math.min(Math.max(Math.log10(Math.max(factor, 1)) / 3, 0), 1) * 9 + 0.5);

  const field = ({ row, factor, marks: said, isBest }, state, draw) => {
    if (row === null) return html("td", { class: "number absent" }, "-");
    const press = () => {
      state.row = state.row === row ? null : row;
      draw();
      focusAgain(`td button[data-cell="${CSS.escape(row.cell)}"]`);
    };
    const ratio = factor === null || factor === undefined ? null : Numbers.ratio(factor);
    const time = row.time === null ? row.status : Numbers.time(row.time);
    const isRatio = state.chosen.show === "ratio";
    const setting = row.durability === null || row.durability === "shipped" ? null : row.durability;
    const marks = [...said, ...row.marks, setting].filter((one) => one);
    const classes = ["number"];
    if (isBest) classes.push("best");
    if (row.status === "FAILED") classes.push("failed");
    else if (row.time === null) classes.push("absent");
    if (factor !== null && factor !== undefined) classes.push(`h${shade(factor)}`);
    return html("td", { class: classes.join(" ") },
      html("button", { type: "button", "data-cell": row.cell, "aria-pressed": String(state.row === row), onclick: press },
        isRatio && row.time !== null ? ratio ?? "no baseline" : time),
      row.time !== null && (isRatio || ratio !== null) ? html("small", {}, ` ${isRatio ? time : ratio}`) : null,
      marks.length > 0 ? html("small", {}, ` ${marks.join(" ")}`) : null);
  };

  // Returns the chart: times over records with a line for each backend, or a dot or bar for each at a single size.
  const figure = (state, data) => {
    const { chosen } = state;
    const all = data.lines
      .filter((line) => line.work === chosen.chart && chosen.sizes.has(String(line.records)))
      .map((line) => compared(line, chosen, data)).filter((one) => one !== null);
    const isRatio = chosen.show === "ratio";
    const series = data.backends.filter(({ id }) => chosen.backends.has(id)).map((backend) => ({
      backend,
      points: all.flatMap(({ line, cells }) => {
        const cell = cells.find((one) => one.backend === backend);
        const value = isRatio ? cell?.factor : cell?.row?.time;
        return value > 0 ? [{ x: line.records, value, cell }] : [];
      }),
    })).filter(({ points }) => points.length > 0);
    const write = isRatio ? Numbers.ratio : Numbers.time;
    const title = `${chosen.chart}: ${isRatio ? "factor to the baseline" : "p50"}`;
    if (series.length === 0) {
      const baseline = data.backends.find(({ id }) => id === chosen.baseline);
      const what = isRatio && baseline ? `No factors of ${chosen.chart} to ${baseline.name}` : `No times of ${chosen.chart}`;
      return html("p", {}, `${what} with what is chosen.`);
    }
    return html("figure", { id: "explorer-chart" }, Plot.draw(title, series, chosen.scale, write));
  };

  return { start };
})();
