// The details of one row: how its operations were spread, all exact values, and the commands that repeat it. A press on
// a bar or a point of a chart opens them beside the page.
const Drawer = (() => {
  const { html, command } = Elements;
  const percentiles = [["p50", "p50_ns"], ["p90", "p90_ns"], ["p99", "p99_ns"], ["p99.9", "p999_ns"], ["slowest", "max_ns"]];

  // Returns all values of a row, and the commands that measure it again and show its system calls.
  const content = (row, data) => {
    const entries = [...row.exact, ["settings", row.settings], ["note", row.note]].filter(([, value]) => value !== "");
    return [
      html("h4", {}, row.cell),
      html("dl", {}, entries.map(([name, value]) =>
        html("div", { class: name === "settings" || name === "note" ? "wide" : null },
          html("dt", {}, name), html("dd", {}, value)))),
      ...(row.code === "" ? [] : [html("p", {}, "In an app:"), command(row.code)]),
      html("p", {}, "To measure it again:"),
      command(`${data.program} run ${row.arguments} ${data.arguments}`),
      ...(row.trace === null ? [] : [html("p", {}, "To see the system calls of one operation:"), command(`${data.program} ${row.trace}`)]),
    ];
  };

  // Returns the charts of a row: the percentiles of its operations, the time in each process, and the latency over time.
  const charts = (row, data) => {
    const exact = Object.fromEntries(row.exact);
    const backend = data.backends[row.backend];
    const dots = (title, pairs) => pairs.length < 2 ? [] : [
      html("figure", {}, Plot.dots(title, pairs.map(([name, value]) => ({ backend: { ...backend, name }, value })), 400)),
    ];
    return [
      ...dots("How long operations took", percentiles.flatMap(([name, column]) => exact[column] ? [[name, Number(exact[column])]] : [])),
      ...dots("Time of an operation in each process, in order", row.rounds.map((value, index) => [`process ${index + 1}`, value])),
      ...(row.course === null ? [] : [html("figure", {}, Plot.course("Latency over time", backend.css, row.course, 400))]),
    ];
  };

  const start = (data) => {
    const body = html("div", {});
    const close = html("button", { type: "button", onclick: () => dialog.close() }, "Close");
    const dialog = html("dialog", { id: "drawer", class: "detail", "aria-label": "Details of a row" }, close, body);
    document.body.append(dialog);
    const open = (name) => {
      const row = data.rows.find(({ cell }) => cell === name);
      if (!row) return;
      const { name: title } = data.backends[row.backend];
      body.replaceChildren(html("h3", {}, `${title}, ${data.lines[row.line].task}`), ...charts(row, data), ...content(row, data));
      dialog.showModal();
      dialog.scrollTop = 0;
    };
    // A press beside the drawer closes it.
    dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); });
    const cell = (target) => target.closest?.("main svg [data-cell]")?.dataset.cell;
    document.addEventListener("click", ({ target }) => { if (cell(target)) open(cell(target)); });
    document.addEventListener("keydown", (event) => {
      if ((event.key !== "Enter" && event.key !== " ") || !cell(event.target)) return;
      event.preventDefault();
      open(cell(event.target));
    });
    for (const bar of document.querySelectorAll("main svg rect[data-cell]")) {
      bar.setAttribute("tabindex", "0");
      bar.setAttribute("role", "button");
      bar.setAttribute("aria-label", bar.querySelector("title")?.textContent ?? bar.dataset.cell);
    }
  };

  return { start, content };
})();
