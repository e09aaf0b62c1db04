// What the reader has chosen, in the address: `#matrix?must=durable&backends=sqlite&backends=lmdb`. The part before the question
// mark is where the page stands. What is not named is as the page comes.
const View = (() => {
  const read = () => {
    const fragment = location.hash.slice(1);
    const mark = fragment.indexOf("?");
    const place = mark < 0 ? fragment : fragment.slice(0, mark);
    return { place, choices: new URLSearchParams(mark < 0 ? "" : fragment.slice(mark + 1)) };
  };

  // Keeps choices; null or "" forgets one, a list is kept value by value. `place` is the section that they are made in.
  const keep = (place, changes) => {
    const { choices } = read();
    for (const [name, value] of Object.entries(changes)) {
      choices.delete(name);
      if (value === null || value === "") continue;
      for (const one of [value].flat()) choices.append(name, one);
    }
    // These stand in a fragment as they are, and are easier to read.
    const words = choices.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
    kept = words;
    write(place);
  };

  // What was chosen last, as it stands in the address.
  let kept = read().choices.toString();
  const write = (place) => {
    try {
      history.replaceState(null, "", kept === "" ? `#${place}` : `#${place}?${kept}`);
    } catch {
      // A previewer that shows the page within its own, or a browser that has had too many changes: the view still holds.
    }
  };

  // A link within the page names a place only, and changes nothing that was chosen. Whether there is something to read.
  const arrive = () => {
    const { place, choices } = read();
    const isNew = location.hash.includes("?") || kept === "";
    if (isNew) kept = choices.toString();
    else write(place);
    return isNew;
  };

  return { read, keep, arrive };
})();
