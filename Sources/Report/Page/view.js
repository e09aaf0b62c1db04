// The reader's choices in the address: `#matrix?promise=durable&backends=sqlite&backends=lmdb`. The part before the
// question mark is the section. Choices that are not in the address have their defaults.
const View = (() => {
  const read = () => {
    const fragment = location.hash.slice(1);
    const mark = fragment.indexOf("?");
    const place = mark < 0 ? fragment : fragment.slice(0, mark);
    return { place, choices: new URLSearchParams(mark < 0 ? "" : fragment.slice(mark + 1)) };
  };

  // Stores choices in the address. Null or "" removes a choice; a list is stored value by value. `place` is the section
  // of the choices.
  const keep = (place, changes) => {
    const { choices } = read();
    for (const [name, value] of Object.entries(changes)) {
      choices.delete(name);
      if (value === null || value === "") continue;
      for (const one of [value].flat()) choices.append(name, one);
    }
    // These characters need no encoding in a fragment, and are easier to read without.
    const words = choices.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
    kept = words;
    write(place);
  };

  // The latest choices, as in the address.
  let kept = read().choices.toString();
  const write = (place) => {
    try {
      history.replaceState(null, "", kept === "" ? `#${place}` : `#${place}?${kept}`);
    } catch {
      // It fails if another page embeds this one, or after too many changes. The view is still correct.
    }
  };

  // Handles a link within the page. A link with only a section changes no choices. Returns whether there are choices to
  // read.
  const arrive = () => {
    const { place, choices } = read();
    const isNew = location.hash.includes("?") || kept === "";
    if (isNew) kept = choices.toString();
    else write(place);
    return isNew;
  };

  return { read, keep, arrive };
})();
