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
    history.replaceState(null, "", words === "" ? `#${place}` : `#${place}?${words}`);
  };

  return { read, keep };
})();
