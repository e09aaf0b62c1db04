extension PageCheck {
  /// Nothing is wider than the window, but for what can be moved sideways.
  static let overflow = PageCheck(
    name: "nothing sticks out of the window",
    script: #"""
      const width = Math.min(document.documentElement.clientWidth, WIDTH);
      const whole = document.documentElement.scrollWidth;
      if (whole > width) add(`the page is ${whole} px wide in a window of ${width} px`);
      for (const element of document.body.querySelectorAll('*:not(svg *)')) {
        if (!isShown(element) || inScroller(element)) continue;
        const box = element.getBoundingClientRect();
        if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5)) {
          add(`${path(element)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)} px`
            + ` in a window of ${width} px: ${words(element)}`);
        }
      }
      """#)

  /// Text is neither hidden by the edge of a box that cannot be scrolled, nor broken within a word.
  static let cutText = PageCheck(
    name: "no text is cut",
    script: #"""
      // The boxes around an element that hide what leaves them, up to the nearest that scrolls.
      const edgesOf = once(element => {
        if (!element || element === document.body) return [];
        const {overflowX, overflowY} = getComputedStyle(element);
        const canScroll = [overflowX, overflowY].some(way => ['auto', 'scroll'].includes(way));
        const around = canScroll ? [] : edgesOf(element.parentElement);
        return [overflowX, overflowY].some(way => ['hidden', 'clip'].includes(way)) ? [...around, element] : around;
      });
      for (const {node, element} of texts()) {
        if (element.closest('svg')) continue;
        for (const edge of edgesOf(element)) {
          const frame = edge.getBoundingClientRect();
          if (boxes(node).some(box => box.left < frame.left - 1 || box.right > frame.right + 1
              || box.top < frame.top - 3 || box.bottom > frame.bottom + 3)) {
            add(`${path(element)}: the edge of ${path(edge)} cuts: ${words(node)}`);
          }
        }
        if (boxes(node).length < 2) continue;
        const range = document.createRange();
        // Names made of many parts are wider than a column of a phone, and are broken somewhere.
        for (const token of node.data.matchAll(/\S+/g)) {
          if (token[0].length > 20) continue;
          for (const word of token[0].matchAll(/\p{L}{2,}/gu)) {
            range.setStart(node, token.index + word.index);
            range.setEnd(node, token.index + word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].filter(box => box.width > 0).map(box => Math.round(box.top)));
            if (lines.size > 1 && !word[0].includes('\u00ad')) {
              add(`${path(element)}: '${word[0]}' is broken in two: ${words(node)}`);
            }
          }
        }
      }
      for (const field of document.querySelectorAll('button, select, input:not([type=range]):not([type=hidden])')) {
        if (isShown(field) && field.scrollWidth > field.clientWidth + 2) {
          add(`${path(field)} is too narrow for: ${words(field) || field.value || field.placeholder}`);
        }
      }
      """#)

  /// The texts of a picture are inside of it, beside each other, and large enough.
  static let pictureText = PageCheck(
    name: "the texts of pictures are whole, apart and large enough",
    script: #"""
      const smallest = 9;
      for (const svg of document.querySelectorAll('svg')) {
        if (!isShown(svg)) continue;
        const frame = svg.getBoundingClientRect();
        const name = svg.querySelector('title')?.textContent ?? path(svg);
        const all = texts(svg).map(({node, element}) => {
          const scale = element.getScreenCTM();
          return {
            node, element, box: element.getBoundingClientRect(),
            size: parseFloat(getComputedStyle(element).fontSize) * Math.hypot(scale.a, scale.b),
          };
        });
        for (const text of all) {
          if (text.size < smallest) add(`'${name}': '${words(text.node)}' is ${text.size.toFixed(1)} px high`);
          const {box} = text;
          if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
              || box.bottom > frame.bottom + 2) add(`'${name}': '${words(text.node)}' leaves the picture`);
        }
        // A line's box is higher than its letters.
        all.forEach((one, index) => {
          for (const other of all.slice(index + 1)) {
            if (one.element === other.element) continue;
            const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
            const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
            if (across > 1 && down > Math.min(one.box.height, other.box.height) * 0.4) {
              add(`'${name}': '${words(one.node)}' lies on '${words(other.node)}'`);
            }
          }
        });
      }
      """#)
}
