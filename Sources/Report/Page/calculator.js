// For an app that the reader describes: the ranking of `storage-bench advise`.
const Calculator = (() => {
  const { html, select, command } = Elements;
  const survive = [
    ["shipped", "what each library ships with"],
    ["crash", "a crash of the app"],
    ["intact", "a power cut, last saves at risk"],
    ["durable", "a power cut, nothing lost"],
  ];
  const plain = { records: "1000", bytes: "", reads: "10", launch: "", survive: "shipped" };
  const most = { records: 1e8, bytes: 2 ** 30, reads: 1e9, launch: 3_600_000 };

  const start = (section, id, run) => {
    const chosen = { ...plain };
    const output = html("div", {});
    const spoken = html("p", { class: "unseen", role: "status" });
    const form = html("form", { class: "controls", "aria-label": "Describe your app" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const draw = () => {
      output.replaceChildren(...answer(chosen, run));
      spoken.textContent = status(chosen, run);
    };
    const change = (name, value) => {
      chosen[name] = value.trim();
      View.keep(id, { [name]: chosen[name] === plain[name] ? null : chosen[name] });
      draw();
    };
    const number = (name, label, attributes) =>
      html("label", {}, html("span", {}, label),
        html("input", {
          type: "number", name, value: chosen[name], max: most[name], ...attributes,
          oninput: (event) => change(name, event.target.value),
        }));
    const fill = () => form.replaceChildren(
      number("records", "Records", { min: 1, step: 1 }),
      number("bytes", "Bytes of a record", { min: 0, step: 1, placeholder: run.recordBytes }),
      number("reads", "Reads for each save", { min: 0, step: "any" }),
      number("launch", "Launch within, ms", { min: 1, step: "any", placeholder: "no limit" }),
      select("Data must survive", survive, chosen.survive, (value) => change("survive", value)));
    const read = () => {
      const { choices } = View.read();
      for (const name of Object.keys(plain)) chosen[name] = choices.get(name) ?? plain[name];
      if (!survive.some(([value]) => value === chosen.survive)) chosen.survive = plain.survive;
      fill();
      draw();
    };
    const box = html("div", { class: "calculator", id: "calculator" }, html("h3", {}, "For your app"), form, spoken, output);
    // Below what the section says first, above its three apps.
    section.querySelector(":scope > p").after(box);
    read();
    return read;
  };

  // The app, or in a sentence what is wrong with it.
  const app = (chosen) => {
    const number = (name, words, least, isWhole) => {
      const value = Number(chosen[name]);
      const isGood = chosen[name] !== "" && value >= least && value <= most[name] && (!isWhole || Number.isInteger(value));
      return isGood ? value : { wrong: `${words} must be a ${isWhole ? "whole " : ""}number from ${least} to ${Numbers.grouped(most[name])}.` };
    };
    const records = number("records", "Records", 1, true);
    const readsPerSave = number("reads", "Reads for each save", 0, false);
    const recordBytes = chosen.bytes === "" ? null : number("bytes", "Bytes of a record", 0, true);
    const launch = chosen.launch === "" ? null : number("launch", "The time to launch", 1, false);
    const wrong = [records, readsPerSave, recordBytes, launch].find((value) => value?.wrong);
    if (wrong) return wrong;
    const launchBudget = launch === null ? null : launch * 1e6;
    return { records, readsPerSave, recordBytes, durability: chosen.survive, launchBudget };
  };

  const answer = (chosen, run) => {
    const described = app(chosen);
    if (described.wrong) return [html("p", { class: "wrong" }, described.wrong)];
    const { rankings, refusals, caveats } = Advice.advise(described, run);
    const none = rankings.length === 0 ? [html("p", {}, "No backend of this run is known to do this.")] : [];
    const told = marks(rankings);
    const out = refusals.map(({ name, reason }) => html("li", {}, `Out: ${name} ${reason}.`));
    const doubts = caveats.map((words) => html("li", {}, words));
    return [
      ...none, ...rankings.map((ranking) => table(ranking, described)),
      ...(told === "" ? [] : [html("p", { class: "footer" }, told)]),
      ...(out.length + doubts.length > 0 ? [html("ul", { class: "footer" }, out, doubts)] : []),
      html("p", {}, "The same on the command line, with the rows that each figure rests on:"),
      command(words(described, run.program)),
    ];
  };

  // What the marks say that stand in the tables.
  const marks = (rankings) => {
    const all = rankings.flatMap(({ candidates }) => candidates);
    const shown = all.flatMap((one) => [one.inShort, Advice.time(one.save), Advice.time(one.read), Advice.time(one.launch)]);
    const isShort = (mark) => shown.some((words) => words.includes(mark));
    const distances = rankings.flatMap(({ candidates }) => candidates.map((_, place) => Advice.distance(candidates, place)));
    return [
      isShort("<") ? "<: measured with more records only, so at most that" : null,
      isShort("*") ? "*: extrapolated beyond the sizes measured" : null,
      all.some(({ exceeds }) => exceeds) ? "^: promises more than the level it is ranked at" : null,
      distances.some((words) => words.endsWith("~")) ? "~: about equal to the first" : null,
      distances.some((words) => words.endsWith("?")) ? "?: inconclusive" : null,
      all.some(({ place }) => place === null) ? "-: emulated or a lookalike, unranked" : null,
      distances.some((words) => words.includes("x")) ? "factors are taken round by round, and may differ from the quotient of two times" : null,
    ].filter((one) => one !== null).join("; ");
  };

  // The ranking in a line, for those who hear the page.
  const status = (chosen, run) => {
    const described = app(chosen);
    if (described.wrong) return described.wrong;
    return Advice.advise(described, run).rankings.map(({ level, candidates }) =>
      `${level}: ${candidates[0].name} first, ${candidates[0].inShort}; ${candidates.length} backends`).join(". ");
  };

  const table = ({ level, candidates }, { durability }) =>
    html("div", { class: "table", tabindex: "0", role: "region", "aria-label": `The ranking, ${level}` },
      html("table", { "data-level": level },
        html("caption", {}, html("span", {}, durability === "shipped" ? `As shipped, ${level}` : `At least ${level}`)),
        html("thead", {}, html("tr", {},
          ["rank", "backend"].map((name) => html("th", { scope: "col" }, name)),
          ["a save with its reads", "against the first", "a save", "a read", "launch"].map((name) =>
            html("th", { scope: "col", class: "number" }, name)))),
        html("tbody", {}, candidates.map((candidate, place) => {
          const isLeader = candidate.isNative &&
            (place === 0 || ["about equal", "inconclusive"].includes(candidate.comparison?.verdict));
          const times = [
            candidate.inShort, Advice.distance(candidates, place), Advice.time(candidate.save),
            Advice.time(candidate.read), Advice.time(candidate.launch),
          ];
          const setting = durability !== "shipped" && candidate.durability !== "shipped" ? ` (${candidate.durability})` : "";
          return html("tr", { class: isLeader ? "best" : null },
            html("td", {}, candidate.place === null ? "-" : `${candidate.place}.`),
            html("th", { scope: "row" }, candidate.name + (candidate.exceeds ? "^" : "") + setting),
            times.map((words) => html("td", { class: "number" }, words)));
        }))));

  // The same question for the command line.
  const words = ({ records, readsPerSave, recordBytes, durability, launchBudget }, program) =>
    [`${program} advise DIR`, `--records ${records}`, `--reads-per-save ${readsPerSave}`,
      recordBytes === null ? null : `--record-bytes ${recordBytes}`,
      durability === "shipped" ? null : `--durability ${durability}`,
      launchBudget === null ? null : `--launch-budget ${launchBudget / 1e6}ms`,
    ].filter((part) => part !== null).join(" ");

  return { start };
})();
