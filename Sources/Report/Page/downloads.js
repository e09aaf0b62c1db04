// Downloads of what a reader sees: the picture as SVG or PNG, and the rows behind it as CSV. The browser makes the files.
const Downloads = (() => {
  const { html } = Elements;

  const save = (blob, name) => {
    const address = URL.createObjectURL(blob);
    html("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };

  // Returns a picture as a file. The page's styles are copied into it.
  const file = (picture) => {
    const copy = picture.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const { width, height } = picture.viewBox.baseVal;
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.prepend(
      Elements.svg("style", {}, document.querySelector("head > style").textContent),
      Elements.svg("rect", { class: "paper", width, height }));
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };

  const png = (picture, name) => {
    const { text, width, height } = file(picture);
    const image = new Image();
    image.onload = () => {
      // Twice the size, for screens with two pixels for each.
      const canvas = html("canvas", { width: 2 * width, height: 2 * height });
      const context = canvas.getContext("2d");
      context.scale(2, 2);
      context.drawImage(image, 0, 0, width, height);
      canvas.toBlob((blob) => save(blob, `${name}.png`));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  };

  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  // Returns rows as CSV with the columns of the page and the names of `summary.csv`.
  const csv = (rows, data) => {
    const lines = rows.map((row) => {
      const exact = Object.fromEntries(row.exact);
      return [row.cell, ...data.columns.map((column) => exact[column] ?? "")];
    });
    return [["cell", ...data.columns], ...lines].map((line) => `${line.map(quoted).join(",")}\n`).join("");
  };

  // Returns the buttons of a picture. `rows` returns the rows behind it.
  const buttons = (picture, name, rows, data) => {
    const button = (words, press) =>
      html("button", { type: "button", class: "download", "aria-label": `${words}: ${name}`, onclick: press }, words);
    return [
      button("CSV", () => save(new Blob([csv(rows(), data)], { type: "text/csv" }), `${name}.csv`)),
      button("SVG", () => save(new Blob([file(picture()).text], { type: "image/svg+xml" }), `${name}.svg`)),
      button("PNG", () => png(picture(), name)),
    ];
  };

  // Gives every picture with rows its buttons, in place of the link to its file, which a page that was sent alone lacks.
  const start = (data) => {
    for (const figure of document.querySelectorAll("main .switch > figure")) {
      const picture = figure.querySelector("svg");
      const rows = () => {
        const cells = new Set([...picture.querySelectorAll("[data-cell]")].map((node) => node.dataset.cell));
        return data.rows.filter(({ cell }) => cells.has(cell));
      };
      figure.querySelector("figcaption > a").replaceWith(...buttons(() => picture, figure.id, rows, data));
    }
  };

  return { start, buttons };
})();
