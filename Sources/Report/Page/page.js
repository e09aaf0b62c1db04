// The interactive parts of the page: tooltips with exact values, folded sections on phones, details of rows, downloads,
// the matrix and the calculator. Without this script, only these are missing.
(() => {
  const { html } = Elements;

  // Returns the run's data for the other parts: null for fields that JSON leaves out, and texts instead of their
  // positions. A page without data, such as that of a comparison, has null.
  const unpack = (data) => {
    const optional = (object, names) => Object.fromEntries(names.map((name) => [name, object[name] ?? null]));
    const rows = data.rows.map((row) => ({
      ...row, ...optional(row, ["durability", "level", "time", "trace", "course"]), marks: row.marks ?? [], rounds: row.rounds ?? [],
      settings: data.texts[row.settings] ?? "", code: data.texts[row.code] ?? "", note: data.texts[row.note] ?? "",
      exact: row.exact.split(",").map((value, index) => [data.columns[index], value]).filter(([, value]) => value !== ""),
    }));
    const contests = data.contests.map((contest) => ({
      ...contest, ...optional(contest, ["promise"]),
      entries: contest.entries.map((entry) => ({
        ...entry, ...optional(entry, ["factor"]), marks: entry.marks ?? [], row: rows[entry.row],
      })),
    }));
    const { advice } = data;
    return {
      ...data, rows,
      backends: data.backends.map((backend, index) => ({ ...backend, index })),
      lines: data.lines.map((line, index) => ({
        ...line, rows: rows.filter((row) => row.line === index),
        contests: contests.filter((contest) => contest.line === index),
      })),
      advice: advice && { ...advice, recordBytes: advice.recordBytes ?? null },
    };
  };
  const packed = document.getElementById("data");
  const data = packed && unpack(JSON.parse(packed.textContent));

  // Marks that the parts without a script are not needed.
  document.documentElement.dataset.script = "";

  // The tooltip with the exact value of an element, for pointers and touch.
  const tip = html("div", { id: "tip", role: "tooltip", hidden: true });
  const titled = (target) => {
    for (let node = target; node instanceof Element && node !== document.body; node = node.parentElement) {
      if (node.dataset.tip) return node;
      if (node.hasAttribute("title")) {
        // Otherwise the browser would show its own tooltip a second later.
        node.dataset.tip = node.getAttribute("title");
        node.removeAttribute("title");
        node.setAttribute("aria-description", node.dataset.tip);
        return node;
      }
      const title = node instanceof SVGElement && !(node instanceof SVGSVGElement)
        ? node.querySelector(":scope > title") : null;
      if (title) {
        node.dataset.tip = title.textContent;
        title.remove();
        return node;
      }
    }
    return null;
  };
  const tell = ({ target }) => {
    const node = titled(target);
    tip.hidden = node === null;
    if (node === null) return;
    // If all figures of a row come from one cell, the row names it.
    // A dialog is above everything outside of it.
    (node.closest("dialog") ?? document.body).append(tip);
    const cell = node.localName === "data" ? node.closest("tr")?.dataset.cell : null;
    tip.textContent = cell ? node.dataset.tip.replace(": ", `: ${cell} `) : node.dataset.tip;
    const place = node.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(place.left + place.width / 2 - size.width / 2, 8), innerWidth - size.width - 8);
    const above = place.top - size.height - 8;
    tip.style.left = `${Math.max(left, 0)}px`;
    tip.style.top = `${above < 4 ? place.bottom + 8 : above}px`;
  };
  document.body.append(tip);
  document.addEventListener("pointerover", tell);
  document.addEventListener("pointerdown", tell);
  document.addEventListener("scroll", () => (tip.hidden = true), { passive: true, capture: true });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape") tip.hidden = true; });

  // Command lines get a button to copy them.
  for (const code of document.querySelectorAll("p.code > code")) code.after(" ", Elements.copy(code));

  // On a phone all but the first sections are folded; a link to one unfolds it.
  const folds = [...document.querySelectorAll("main section > details.part")];
  if (matchMedia("(max-width: 700px)").matches) {
    for (const fold of folds) fold.open = fold.closest("section").hasAttribute("data-first");
  }
  const unfold = (id) => {
    const target = id === "" ? null : document.getElementById(id);
    if (target === null) return;
    for (let node = target.querySelector(":scope > details.part") ?? target; node; node = node.parentElement) {
      if (node instanceof HTMLDetailsElement) node.open = true;
      // A picture of a switch is chosen by the option at its place.
      if (node.parentElement?.classList.contains("switch")) {
        const { children } = node.parentElement;
        const figures = [...children].filter(({ localName }) => localName === "figure");
        [...children].filter(({ localName }) => localName === "input")[figures.indexOf(node)].checked = true;
      }
    }
    target.scrollIntoView();
  };

  const readers = [];
  const put = (id, start, content) => {
    const section = document.getElementById(id);
    if (section && content) readers.push(start(section.querySelector(":scope > details.part > .body") ?? section, id, content));
  };
  if (data) {
    Drawer.start(data);
    Downloads.start(data);
    put("matrix", Explorer.start, data.lines.length > 0 ? data : null);
    put("answer", Calculator.start, data.advice && { ...data.advice, program: data.program });
  }

  const arrive = () => {
    if (View.arrive()) for (const read of readers) read();
    unfold(View.read().place);
  };
  addEventListener("hashchange", arrive);
  // All sections are unfolded for printing, and restored afterwards.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:is(.part, .printed, .tab):not([open])")];
    for (const fold of document.querySelectorAll("details:is(.part, .printed, .tab)")) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of unfolded) fold.open = false;
  });
  // A list of choices closes when another element is pressed, as a menu does.
  const close = (kept) => {
    for (const list of document.querySelectorAll("details.choices[open]")) if (list !== kept) list.open = false;
  };
  document.addEventListener("pointerdown", ({ target }) => close(target.closest("details.choices")));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    const list = target.closest?.("details.choices[open]");
    close(null);
    list?.querySelector("summary").focus();
  });
  if (location.hash !== "") unfold(View.read().place);

  // The data of this run, for tests and for a browser's console.
  globalThis.storageBench = { data, Numbers };
})();
