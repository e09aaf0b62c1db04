// What the page does beyond being read: exact values under the pointer, sections that fold on a phone, the matrix and the
// calculator. Without this script nothing is missing but these.
(() => {
  const { html } = Elements;

  // The run's data as the other parts read it: what JSON leaves out is null here, and rounds and texts stand in place of
  // their packed forms. Null where the page has none, as that of a comparison.
  const unpack = (data) => {
    const optional = (object, names) => Object.fromEntries(names.map((name) => [name, object[name] ?? null]));
    const timing = (row) => {
      const { times = [], numbers, means = times, batched, resolutions } = row.rounds ?? {};
      const rounds = new Map(times.map((typical, index) => [
        numbers ? numbers[index] : index + 1,
        {
          typical, mean: means[index], isBatched: batched ? batched[index] : false,
          resolution: resolutions[resolutions.length > 1 ? index : 0],
        },
      ]));
      return { ...row, ...optional(row, ["time"]), rounds, spread: { low: 1, high: 1 }, isTimedOnce: row.isTimedOnce === true };
    };
    const rows = data.rows.map((row) => ({
      ...timing(row), ...optional(row, ["durability", "level"]), marks: row.marks ?? [],
      records: data.lines[row.line].records,
      isRanked: row.isRanked === true, canWin: row.canWin === true,
      settings: data.texts[row.settings] ?? "", note: data.texts[row.note] ?? "",
      exact: row.exact.split(",").map((value, index) => [data.columns[index], value]).filter(([, value]) => value !== ""),
    }));
    // A curve goes through its points: how far each of them lies from the law, in logarithms.
    const bent = (law, x, y) => ({
      law, x, y, d: x.map((place, index) => Math.log(y[index] / Advice.predict(law, place))),
    });
    const fitted = ({ hasConstant, law, rounds, laws }, timed) => {
      const x = timed.map((row) => row.records);
      // What was timed once says the same in every round.
      const values = (round) => timed.map((row) => (row.isTimedOnce ? row.time : row.rounds.get(round).typical));
      return {
        hasConstant, curve: bent(law, x, timed.map((row) => row.time)),
        rounds: new Map(rounds.map((round, index) => [round, bent(laws[index], x, values(round))])),
      };
    };
    const series = (all) => all.map((one) => {
      const timed = one.timed.map((place) => rows[place]);
      return { ...one, ...optional(one, ["level", "failed"]), timed, fit: one.fit ? fitted(one.fit, timed) : null };
    });
    const { advice } = data;
    return {
      ...data, rows,
      backends: data.backends.map((backend, index) => ({ ...backend, index })),
      lines: data.lines.map((line, index) => ({ ...line, rows: rows.filter((row) => row.line === index) })),
      advice: advice && {
        ...advice, ...optional(advice, ["recordBytes", "warning"]),
        contests: advice.contests.map((contest) => ({ ...contest, ...optional(contest, ["level"]) })),
        saves: series(advice.saves), reads: series(advice.reads), launches: series(advice.launches),
        loading: series(advice.loading),
      },
    };
  };
  const packed = document.getElementById("data");
  const data = packed && unpack(JSON.parse(packed.textContent));

  // Exact values: what a pointer rests on or a finger taps tells its title at once.
  const tip = html("div", { id: "tip", role: "tooltip", hidden: true });
  const titled = (target) => {
    for (let node = target; node instanceof Element && node !== document.body; node = node.parentElement) {
      if (node.dataset.tip) return node;
      if (node.hasAttribute("title")) {
        // Else the browser shows it, too, a second later.
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
    // Where all figures of a line come from one cell, the line names it.
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

  // Lines to be typed can be copied.
  for (const code of document.querySelectorAll("p.code > code")) code.after(" ", Elements.copy(code));

  // On a phone all but the first sections are folded; a link to one unfolds it.
  const folds = [...document.querySelectorAll("main > section > details.part")];
  if (matchMedia("(max-width: 700px)").matches) {
    for (const fold of folds) fold.open = fold.closest("section").hasAttribute("data-first");
  }
  const unfold = (id) => {
    const target = id === "" ? null : document.getElementById(id);
    if (target === null) return;
    for (let node = target.querySelector(":scope > details.part") ?? target; node; node = node.parentElement) {
      if (node instanceof HTMLDetailsElement) node.open = true;
    }
    target.scrollIntoView();
  };

  const readers = [];
  const put = (id, start, content) => {
    const section = document.getElementById(id);
    if (section && content) readers.push(start(section.querySelector(":scope > details.part > .body") ?? section, id, content));
  };
  if (data) {
    put("matrix", Explorer.start, data.lines.length > 0 ? data : null);
    put("advice", Calculator.start, data.advice && { ...data.advice, program: data.program });
  }

  const arrive = () => {
    if (View.arrive()) for (const read of readers) read();
    unfold(View.read().place);
  };
  addEventListener("hashchange", arrive);
  // On paper all sections are open; afterwards they are as they were.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details.part:not([open]), details.printed:not([open])")];
    for (const fold of document.querySelectorAll("details.part, details.printed")) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of unfolded) fold.open = false;
  });
  // A list of choices closes when something else is chosen, as a menu does.
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

  // For tests and for a browser's console: the model, with this run's data.
  globalThis.storageBench = { data, Advice, Numbers, Statistics };
})();
