// The calculator for an app that the reader describes: the answers of `storage-bench advise` for the measured sizes.
const Calculator = (() => {
  const { html, select, command } = Elements;
  const levels = ["volatile", "fragile", "crash", "intact", "durable"];
  const most = { records: 1e8, bytes: 2 ** 30 };
  // Records of half to twice the size cost about the same; see Advice+Caveats.swift.
  const sizeReach = 2;

  const start = (section, id, run) => {
    const sizes = [...new Set(run.answers.map(({ records }) => records))];
    // The strongest level that something was measured at.
    const strongest = run.losses.map(([level]) => level)
      .filter((level) => run.answers.some(({ recommendations }) => recommendations[level])).at(-1) ?? "any";
    const plain = {
      records: String(sizes.includes(1000) ? 1000 : sizes[0]), bytes: "", reads: "10", survive: strongest,
    };
    const chosen = { ...plain };
    const output = html("div", {});
    const spoken = html("p", { class: "unseen", role: "status" });
    const form = html("form", { class: "controls", "aria-label": "Describe your app" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const draw = () => {
      const { nodes, words } = answer(chosen, run, sizes);
      const isOpen = output.querySelector("details")?.open;
      output.replaceChildren(...nodes);
      if (isOpen && output.querySelector("details")) output.querySelector("details").open = true;
      spoken.textContent = words;
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
      select("Reads for each save", run.reads.map((count) => [String(count), Numbers.grouped(count)]), chosen.reads,
        (value) => change("reads", value)),
      select("You can afford to lose", run.losses, chosen.survive, (value) => change("survive", value)));
    const read = () => {
      const { choices } = View.read();
      for (const name of Object.keys(plain)) chosen[name] = choices.get(name) ?? plain[name];
      if (!run.losses.some(([value]) => value === chosen.survive)) chosen.survive = plain.survive;
      if (!run.reads.includes(Number(chosen.reads))) chosen.reads = plain.reads;
      fill();
      draw();
    };
    const box = html("div", { class: "calculator", id: "calculator" }, form, spoken, output);
    // The answer for the app takes the place of the one for all.
    section.querySelector(":scope > .recommended")?.remove();
    section.querySelector(":scope > h2").after(box);
    read();
    return read;
  };

  const answer = (chosen, run, sizes) => {
    const number = (name, words, least) => {
      const value = Number(chosen[name]);
      return chosen[name] !== "" && Number.isInteger(value) && value >= least && value <= most[name] ? value
        : { wrong: `${words} must be a whole number from ${least} to ${Numbers.grouped(most[name])}.` };
    };
    const records = number("records", "Records", 1);
    const bytes = chosen.bytes === "" ? null : number("bytes", "Bytes of a record", 0);
    const wrong = [records, bytes].find((value) => value?.wrong)?.wrong;
    if (wrong) return { nodes: [html("p", { class: "wrong" }, wrong)], words: wrong };
    const line = (more) => command([
      `${run.program} advise DIR${more}`, `--records ${records}`, `--reads-per-save ${chosen.reads}`,
      bytes === null ? null : `--record-bytes ${bytes}`,
      chosen.survive === "any" ? null : `--durability ${chosen.survive}`,
    ].filter((part) => part !== null).join(" "));
    const isFar = bytes !== null &&
      Math.max(bytes, run.recordBytes) > sizeReach * Math.min(bytes, run.recordBytes);
    const found = isFar ? undefined
      : run.answers.find((one) => one.records === records && one.reads === Number(chosen.reads));
    if (found === undefined) {
      const what = isFar
        ? `Not measured: the records of this run have ${Numbers.grouped(run.recordBytes)} bytes.`
        : `Not measured at ${Numbers.grouped(records)} records, only at ${Numbers.list(sizes.map(Numbers.grouped))}.`;
      return { nodes: [html("p", { class: "wrong" }, what), html("p", {}, "This measures it, and answers:"), line(" --measure")], words: what };
    }
    const words = found.recommendations[chosen.survive] ?? run.absence ?? "No backend of this run promises that.";
    const least = chosen.survive === "any" ? 0 : levels.indexOf(chosen.survive);
    const tables = found.levels.filter(({ level }) => levels.indexOf(level) >= least).map((one) => table(one, run));
    const isOther = bytes !== null && bytes !== run.recordBytes;
    const doubt = isOther ? [`The records of this run have ${Numbers.grouped(run.recordBytes)} bytes, as have all figures.`] : [];
    const notes = [...doubt, ...found.notes, ...run.notes].map((note) => html("li", {}, note));
    return {
      nodes: [
        html("p", { class: "recommended" }, words),
        html("details", {}, html("summary", {}, "All candidates, and the command that prints them"), ...tables,
          html("ul", { class: "footer" }, notes), line("")),
      ],
      words,
    };
  };

  const table = ({ level, rows, first }, { columns }) =>
    html("div", { class: "table", tabindex: "0", role: "region", "aria-label": `The candidates, ${level}` },
      html("table", { "data-level": level },
        html("caption", {}, html("span", {}, level)),
        html("thead", {}, html("tr", {},
          columns.map((name, place) => html("th", { scope: "col", class: place === 0 ? null : "number" }, name)))),
        html("tbody", {}, rows.map((fields, place) =>
          html("tr", { class: place === first ? "best" : null },
            fields.map((words, column) => column === 0
              ? html("th", { scope: "row" }, words) : html("td", { class: "number" }, words)))))));

  return { start };
})();
