// The functions of the checks of a page, see PageCheck.swift. A check calls `add` with a sentence for each finding.

// The name of an element in a finding: its path from the nearest id.
const path = element => {
  const steps = [];
  for (let e = element; e && e.nodeType === 1; e = e.parentElement) {
    const name = e.tagName.toLowerCase();
    if (e.id) { steps.unshift(name + '#' + e.id); break; }
    const css = (e.getAttribute('class') ?? '').trim();
    steps.unshift(name + (css ? '.' + css.split(/\s+/).join('.') : ''));
    if (name === 'body') break;
  }
  return steps.slice(0, 1).concat(steps.slice(1).slice(-3)).join(' > ');
};
const words = node => (node.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60);
// A function of an element, and perhaps of those around it, that works out each once.
const once = work => {
  const known = new Map();
  return element => {
    if (!known.has(element)) known.set(element, work(element));
    return known.get(element);
  };
};
// Whether an element is for screen readers only: a box of one pixel, or clipped to nothing.
const isForEars = once(element => {
  if (!element || element === document.body) return false;
  const style = getComputedStyle(element);
  return style.position === 'absolute' && (style.clipPath === 'inset(50%)' || style.clip === 'rect(0px, 0px, 0px, 0px)'
    || (element.clientWidth <= 1 && element.clientHeight <= 1 && style.overflow !== 'visible'))
    || isForEars(element.parentElement);
});
const isShown = once(element =>
  element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true, contentVisibilityAuto: true})
    && element.getClientRects().length > 0 && !isForEars(element));
const scrolls = (element, axis) => ['auto', 'scroll'].includes(getComputedStyle(element)['overflow' + axis]);
const inScroller = once(({parentElement: parent}) =>
  parent !== null && parent !== document.body && (scrolls(parent, 'X') || inScroller(parent)));
// Every text that is shown, with its element.
const texts = (root = document.body) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || element.closest('script, style, noscript, title, desc, template')) continue;
    if (isShown(element)) found.push({node, element});
  }
  return found;
};
const boxes = node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return [...range.getClientRects()].filter(box => box.width > 0 && box.height > 0);
};
const elementOf = id => id && document.getElementById(id);
// The name of an element by its attributes.
const label = element => {
  const by = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).map(elementOf).filter(Boolean);
  return (by.map(words).join(' ') || element.getAttribute('aria-label') || '').trim();
};
const controls = () => [...document.querySelectorAll(
  'a[href], button, summary, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable=true]')]
  .filter(element => isShown(element) && !element.disabled && !element.closest('[inert]'));

const checks = {
  // Nothing is wider than the window, but for what can be moved sideways.
  overflow() {
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
  },

  // Text is neither hidden by the edge of a box that cannot be scrolled, nor broken within a word.
  cutText() {
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
          const parts = [...range.getClientRects()].filter(box => box.width > 0);
          const lines = new Set(parts.map(box => Math.round(box.top)));
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
  },

  // The texts of a picture are inside of it, beside each other, and large enough.
  pictureText() {
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
  },

  // Every text has a contrast of 4.5 to what lies behind it, large text of 3 (WCAG 2.2, 1.4.3).
  //
  // Colours are laid over each other as a browser does: backgrounds of all elements around a text, half-transparent
  // ones too; in a picture every shape that was painted before the text, at fifteen points of the text's box, of which
  // the worst counts. Text in a disabled field and text for screen readers only is left out.
  contrast() {
    const pixel = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
      .getContext('2d', {willReadFrequently: true});
    // Red, green, blue from 0 to 255, and alpha from 0 to 1.
    const colour = once(text => {
      const numbers = text.match(/^rgba?\(([^)]+)\)$/)?.[1].split(/[\s,\/]+/).map(Number);
      if (numbers) return [...numbers.slice(0, 3), numbers[3] ?? 1];
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = text;
      pixel.fillRect(0, 0, 1, 1);
      const data = pixel.getImageData(0, 0, 1, 1).data;
      return [data[0], data[1], data[2], data[3] / 255];
    });
    const faded = (value, share) => [value[0], value[1], value[2], value[3] * share];
    // A colour over an opaque one.
    const over = (top, below) =>
      [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    const brightness = value => {
      const [r, g, b] = value.slice(0, 3).map(part => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (one, other) => {
      const [high, low] = [brightness(one), brightness(other)].sort((a, b) => b - a);
      return (high + 0.05) / (low + 0.05);
    };
    const hex = value => '#' + value.slice(0, 3).map(part => Math.round(part).toString(16).padStart(2, '0')).join('');
    const canvas = Object.assign(document.createElement('div'), {style: 'background: Canvas; position: absolute'});
    document.body.append(canvas);
    const base = colour(getComputedStyle(canvas).backgroundColor);
    canvas.remove();
    // The colour behind an element's text, including its own background.
    const background = once(element => {
      if (!element) return base;
      const style = getComputedStyle(element);
      if (style.backgroundImage !== 'none' && texts(element).length) {
        add(`${path(element)} has a picture behind its text, and nobody knows the contrast`);
      }
      // The window's own background is that of body.
      return over(colour(style.backgroundColor), background(element.parentElement));
    });
    const opacity = once(element =>
      element ? parseFloat(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
    const judge = (element, text, paint, below, style, scale = 1) => {
      const size = parseFloat(style.fontSize) * scale;
      const least = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700) ? 3 : 4.5;
      const shown = over(faded(paint, opacity(element)), below);
      const found = ratio(shown, below);
      if (found < least) {
        add(`${path(element)}: '${text}' has a contrast of ${found.toFixed(2)} (${hex(shown)} on ${hex(below)}),`
          + ` and needs ${least}`);
      }
    };
    for (const {node, element} of texts()) {
      if (element.closest('svg') || element.closest(':disabled, [aria-disabled=true]')) continue;
      const style = getComputedStyle(element);
      judge(element, words(node), colour(style.webkitTextFillColor ?? style.color), background(element), style);
    }
    for (const field of document.querySelectorAll('input, select, textarea')) {
      if (!isShown(field) || field.disabled || ['range', 'checkbox', 'radio', 'color'].includes(field.type)) continue;
      const style = getComputedStyle(field);
      judge(field, field.value, colour(style.color), background(field), style);
      if (field.placeholder && !field.value) {
        const faint = getComputedStyle(field, '::placeholder');
        const paint = faded(colour(faint.color), parseFloat(faint.opacity));
        judge(field, field.placeholder, paint, background(field), style);
      }
    }
    for (const element of document.body.querySelectorAll('*:not(svg *)')) {
      for (const part of ['::before', '::after']) {
        const style = getComputedStyle(element, part);
        const content = style.content.match(/^"(.*\S.*)"$/)?.[1];
        if (!content || !isShown(element) || element.closest(':disabled')) continue;
        const below = over(colour(style.backgroundColor), background(element));
        judge(element, content, faded(colour(style.color), parseFloat(style.opacity)), below, style);
      }
    }
    for (const svg of document.querySelectorAll('svg')) {
      if (!isShown(svg)) continue;
      const point = svg.createSVGPoint();
      const shapes = [...svg.querySelectorAll('rect, circle, ellipse, path, polygon')].map(shape => {
        const style = getComputedStyle(shape);
        const fill = style.fill === 'none' ? null
          : faded(colour(style.fill), parseFloat(style.fillOpacity) * opacity(shape));
        return {shape, fill, box: shape.getBoundingClientRect(), toShape: shape.getScreenCTM()?.inverse()};
      }).filter(({shape, fill, toShape}) => fill && fill[3] > 0 && toShape && isShown(shape) && !shape.closest('defs'));
      const paper = background(svg);
      for (const {node, element} of texts(svg)) {
        const style = getComputedStyle(element);
        const paint = faded(colour(style.fill), parseFloat(style.fillOpacity));
        const scale = element.getScreenCTM();
        const {left, top, width, height} = element.getBoundingClientRect();
        const earlier = shapes.filter(({shape, box}) =>
          box.left < left + width && box.right > left && box.top < top + height && box.bottom > top
            && shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
        let worst = null;
        for (const x of [0.1, 0.3, 0.5, 0.7, 0.9]) for (const y of [0.3, 0.5, 0.7]) {
          [point.x, point.y] = [left + width * x, top + height * y];
          let below = paper;
          for (const {shape, fill, toShape} of earlier) {
            if (shape.isPointInFill(point.matrixTransform(toShape))) below = over(fill, below);
          }
          if (!worst || ratio(over(paint, below), below) < ratio(over(paint, worst), worst)) worst = below;
        }
        judge(element, words(node), paint, worst, style, Math.hypot(scale.a, scale.b));
      }
    }
  },

  // One heading of the first level, and no level left out on the way down.
  headings() {
    const all = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
      .filter(heading => !heading.closest('[hidden]'));
    const first = all.filter(heading => heading.tagName === 'H1');
    if (first.length !== 1) add(`there are ${first.length} headings of the first level`);
    let before = 0;
    for (const heading of all) {
      const level = Number(heading.tagName[1]);
      if (level > before + 1) add(`${path(heading)} comes after one of level ${before}: ${words(heading)}`);
      if (!words(heading)) add(`${path(heading)} is empty`);
      before = level;
    }
  },

  // Every table has a name, its headers say what they are headers of, and no field is blank.
  tables() {
    for (const table of document.querySelectorAll('table')) {
      const details = table.closest('details');
      const name = (table.caption && words(table.caption)) || label(table)
        || (details && words(details.querySelector(':scope > summary') ?? details)) || '';
      if (!name) add(`${path(table)} has neither a caption nor a summary: ${words(table)}`);
      const headers = [...table.querySelectorAll('th')];
      if (!headers.some(header => header.scope === 'col')) add(`${path(table)} has no header of a column: ${name}`);
      for (const header of headers) {
        if (!['col', 'row', 'colgroup', 'rowgroup'].includes(header.getAttribute('scope'))) {
          add(`${path(header)} does not say what it is the header of: ${words(header)}`);
        }
      }
      const columns = table.rows[0]?.cells.length ?? 0;
      for (const row of table.rows) {
        const width = [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0);
        if (width !== columns) add(`${path(row)} has ${width} fields for ${columns} columns: ${words(row)}`);
        if (row.parentElement.tagName === 'TBODY' && [...row.cells].some(cell => !words(cell))) {
          add(`${path(row)} has a blank field: ${words(row)}`);
        }
      }
    }
  },

  // Every picture is something to a screen reader, and has a name; or it is hidden from it.
  pictures() {
    for (const picture of document.querySelectorAll('svg, img, canvas')) {
      if (picture.closest('[aria-hidden=true]')) continue;
      if (picture.tagName === 'IMG') {
        if (!picture.hasAttribute('alt')) add(`${path(picture)} has no alt`);
        continue;
      }
      const title = [...picture.children].find(child => child.tagName.toLowerCase() === 'title');
      if (!picture.hasAttribute('role')) add(`${path(picture)} has no role: ${words(picture)}`);
      if (!label(picture) && !(title && words(title))) add(`${path(picture)} has no name: ${words(picture)}`);
    }
  },

  // Every id is one element's, and everything that names an id finds it.
  identifiers() {
    const ids = new Set();
    for (const element of document.querySelectorAll('[id]')) {
      if (ids.has(element.id)) add(`the id '${element.id}' is used twice, here by ${path(element)}`);
      if (!element.id) add(`${path(element.parentElement)} holds an element with an empty id`);
      ids.add(element.id);
    }
    for (const link of document.querySelectorAll('a[href^="#"]')) {
      const name = decodeURIComponent(link.getAttribute('href').slice(1));
      if (!ids.has(name)) add(`${path(link)} leads to '#${name}', which is not there: ${words(link)}`);
    }
    const names = ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'headers', 'list'];
    for (const name of names) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        for (const id of element.getAttribute(name).split(/\s+/)) {
          if (!ids.has(id)) add(`${path(element)}: ${name} names '${id}', which is not there`);
        }
      }
    }
  },

  // Scrollable elements can be scrolled by the keyboard (axe: scrollable-region-focusable), and have a role and a name.
  scrollRegions() {
    const reachable = new Set(controls().filter(element => element.tabIndex >= 0));
    for (const element of document.body.querySelectorAll('*:not(svg *)')) {
      if (!isShown(element)) continue;
      const isWider = scrolls(element, 'X') && element.scrollWidth > element.clientWidth + 1;
      const isHigher = scrolls(element, 'Y') && element.scrollHeight > element.clientHeight + 1;
      if (!isWider && !isHigher) continue;
      if (reachable.has(element)) {
        if (!element.getAttribute('role') || !label(element)) {
          add(`${path(element)} can be scrolled and has the focus, but no role and name: ${words(element)}`);
        }
      } else if (![...reachable].some(control => element.contains(control))) {
        add(`${path(element)} can be scrolled, but not by the keyboard: ${words(element)}`);
      }
    }
  },

  // Without any script, no heading and no table is out of reach: what is not shown can be unfolded, or chosen by an
  // option that is shown.
  nothingHidden() {
    // The outermost fold hides what is in it; it has to be shown itself.
    const isFolded = element => {
      let fold = null;
      for (let e = element; e; e = e.parentElement) if (e.matches('details:not([open])')) fold = e;
      return fold && fold !== element && isShown(fold);
    };
    const isChosen = element => {
      const figures = [...element.closest('.switch')?.querySelectorAll(':scope > figure') ?? []];
      const options = [...element.closest('.switch')?.querySelectorAll(':scope > input + label') ?? []];
      const option = options[figures.indexOf(element.closest('figure'))];
      return option && (isShown(option) || isFolded(option));
    };
    for (const element of document.querySelectorAll('h1, h2, h3, h4, h5, h6, table, svg')) {
      if (isShown(element) || isFolded(element) || isChosen(element)) continue;
      add(`${path(element)} is not shown: ${words(element)}`);
    }
  },

  // The heading, the answer in a sentence, the calculator if there is a script, and the first picture begin on the
  // first screen; on a wide one the picture ends there too.
  firstScreen() {
    const answer = document.querySelector('#answer');
    const [heading, picture] = ['h2', 'svg'].map(name => [...(answer?.querySelectorAll(name) ?? [])].find(isShown));
    const sentence = answer?.querySelector('.recommended');
    if (!heading || !picture || !sentence) return add('there is no answer with a heading, a sentence and a picture');
    const calculator = document.documentElement.dataset.script === undefined ? null : answer.querySelector('form');
    const height = innerHeight;
    for (const element of [heading, sentence, calculator, picture]) {
      if (!element) continue;
      const {top, bottom} = element.getBoundingClientRect();
      if (!isShown(element) || top < 0 || top >= height) add(`${path(element)} begins at ${Math.round(top)} px`);
      if (element === picture && WIDTH >= 1000 && bottom > height) add(`${path(element)} ends at ${bottom} px`);
    }
  },
};
