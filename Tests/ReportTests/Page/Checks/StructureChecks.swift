extension PageCheck {
  /// One heading of the first level, and no level left out on the way down.
  static let headings = PageCheck(
    name: "headings are in order",
    script: #"""
      const all = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(heading => !heading.closest('[hidden]'));
      const first = all.filter(heading => heading.tagName === 'H1');
      if (first.length !== 1) add(`there are ${first.length} headings of the first level`);
      let before = 0;
      for (const heading of all) {
        const level = Number(heading.tagName[1]);
        if (level > before + 1) add(`${path(heading)} comes after one of level ${before}: ${words(heading)}`);
        if (!words(heading)) add(`${path(heading)} is empty`);
        before = level;
      }
      """#)

  /// Every table has a name, its headers say what they are headers of, and no field is blank.
  static let tables = PageCheck(
    name: "tables have names, headers and no blank fields",
    script: #"""
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
      """#)

  /// Every picture is something to a screen reader, and has a name; or it is hidden from it.
  static let pictures = PageCheck(
    name: "pictures have names",
    script: #"""
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
      """#)

  /// Every id is one element's, and everything that names an id finds it.
  static let identifiers = PageCheck(
    name: "ids are unique, and links lead somewhere",
    script: #"""
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
      for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'headers', 'list']) {
        for (const element of document.querySelectorAll(`[${name}]`)) {
          for (const id of element.getAttribute(name).split(/\s+/)) {
            if (!ids.has(id)) add(`${path(element)}: ${name} names '${id}', which is not there`);
          }
        }
      }
      """#)

  /// Scrollable elements can be scrolled by the keyboard (axe: scrollable-region-focusable), and have a role and a name.
  static let scrollRegions = PageCheck(
    name: "what can be scrolled can be reached by the keyboard",
    script: #"""
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
      """#)

  /// Without any script, no heading and no table is out of reach: what is not shown can be unfolded, or chosen by an
  /// option that is shown.
  static let nothingHidden = PageCheck(
    name: "every heading and every table is shown or folded",
    script: #"""
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
        if (!isShown(element) && !isFolded(element) && !isChosen(element)) add(`${path(element)} is not shown: ${words(element)}`);
      }
      """#)

  /// The heading, the answer in a sentence, the calculator if there is a script, and the first picture begin on the first
  /// screen; on a wide one the picture ends there too.
  static let firstScreen = PageCheck(
    name: "the answer is on the first screen",
    script: #"""
      const answer = document.querySelector('#answer');
      const [heading, picture] = ['h2', 'svg'].map(name => [...(answer?.querySelectorAll(name) ?? [])].find(isShown));
      const sentence = answer?.querySelector('.recommended');
      if (!heading || !picture || !sentence) return ['there is no answer with a heading, a sentence and a picture'];
      const calculator = document.documentElement.dataset.script === undefined ? null : answer.querySelector('form');
      const height = innerHeight;
      for (const element of [heading, sentence, calculator, picture]) {
        if (!element) continue;
        const {top, bottom} = element.getBoundingClientRect();
        if (!isShown(element) || top < 0 || top >= height) add(`${path(element)} begins at ${Math.round(top)} px`);
        if (element === picture && WIDTH >= 1000 && bottom > height) add(`${path(element)} ends at ${bottom} px`);
      }
      """#)
}
