// Creates elements. Nothing is parsed from text, so that no text of a run can become markup.
const Elements = (() => {
  const put = (node, attributes, children) => {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  };
  const html = (name, attributes = {}, ...children) => put(document.createElement(name), attributes, children);
  const svg = (name, attributes = {}, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

  // Returns a choice of one option with its label. `options` are pairs of a value and its text.
  const select = (label, options, chosen, change) =>
    html("label", {}, html("span", {}, label),
      html("select", { onchange: (event) => change(event.target.value) },
        options.map(([value, words]) => html("option", { value, selected: value === chosen }, words))));

  // Returns a folded choice of several options with the number of chosen ones. `chosen` is a set, which is modified.
  const checks = (label, options, chosen, change) => {
    const heading = () => `${label}: ${chosen.size === options.length ? "all" : `${chosen.size} of ${options.length}`}`;
    const summary = html("summary", {}, heading());
    const boxes = options.map(([value, words]) =>
      html("label", {},
        html("input", {
          type: "checkbox", value, checked: chosen.has(value),
          onchange: (event) => {
            if (event.target.checked) chosen.add(value);
            else chosen.delete(value);
            summary.textContent = heading();
            change();
          },
        }), ` ${words}`));
    const set = (isChosen) => {
      for (const [value] of options) isChosen ? chosen.add(value) : chosen.delete(value);
      for (const box of boxes) box.firstChild.checked = isChosen;
      summary.textContent = heading();
      change();
    };
    const button = (words, isChosen) => html("button", { type: "button", onclick: () => set(isChosen) }, words);
    return html("details", { class: "choices" }, summary,
      html("fieldset", {}, html("legend", { class: "unseen" }, label), boxes, button("all", true), button("none", false)));
  };

  // Returns a button that copies a line of code.
  const copy = (code) => {
    const button = html("button", {
      type: "button", class: "copy",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(code.textContent);
        } catch {
          // If the page may not write to the clipboard, the text is selected for copying.
          getSelection().selectAllChildren(code);
          document.execCommand("copy");
        }
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      },
    }, "Copy");
    return button;
  };

  const command = (words) => {
    const code = html("code", {}, words);
    return html("p", { class: "code" }, code, " ", copy(code));
  };

  return { html, svg, select, checks, copy, command };
})();
