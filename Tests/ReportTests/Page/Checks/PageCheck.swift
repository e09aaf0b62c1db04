import Foundation

/// Something that must hold of a page, looked for by a script that the test runs in it.
struct PageCheck: Sendable {
  /// What is looked for, in a few words.
  let name: String
  /// The body of a function that has what ``tools`` declares and `add(sentence)` for what it finds.
  let script: String

  /// What is wrong, as sentences; none if all is well.
  ///
  /// - Throws: ``BrowserError`` if the script does.
  func findings(_ page: Page) async throws -> [String] {
    try await page.evaluate(
      """
      (() => {
        const findings = [];
        const add = sentence => findings.push(sentence);
        const WIDTH = \(page.screen.width);
        \(Self.tools)
        \(script)
        return [...new Set(findings)];
      })()
      """)
  }

  /// Those that hold of every page on every screen.
  static let all: [PageCheck] = [
    .overflow, .cutText, .pictureText, .contrast, .headings, .tables, .pictures, .identifiers, .scrollRegions,
  ]

  /// What the scripts have in common.
  private static let tools = #"""
    // How an element is called in a finding: the way to it from the nearest id.
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
    // What is for screen readers only: a box of a pixel, or clipped to nothing.
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
    // What an element is called by its attributes or its own words.
    const label = element => {
      const by = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).map(elementOf).filter(Boolean);
      return (by.map(words).join(' ') || element.getAttribute('aria-label') || '').trim();
    };
    const controls = () => [...document.querySelectorAll(
      'a[href], button, summary, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable=true]')]
      .filter(element => isShown(element) && !element.disabled && !element.closest('[inert]'));
    """#
}
