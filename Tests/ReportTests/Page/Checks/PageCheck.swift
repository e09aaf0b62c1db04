import Testing

/// Expects that there are no findings, and lists the first ones.
func expectNone(_ findings: [String], _ words: String, at location: SourceLocation = #_sourceLocation) {
  let lines = findings.prefix(20).joined(separator: "\n  ")
  #expect(findings.isEmpty, "\(findings.count) findings: \(words)\n  \(lines)", sourceLocation: location)
}

/// A rule for pages, checked by a script in the page.
struct PageCheck: Sendable {
  /// The rule in a few words.
  let name: String
  /// The body of a function that can use the declarations of ``tools``, and `add(sentence)` for each finding.
  let script: String

  /// Returns the violations as sentences.
  ///
  /// - Throws: ``BrowserError`` if the script does.
  func findings(_ page: Page) async throws -> [String] { try await Self.findings(page, script) }

  /// Returns the findings of a script.
  static func findings(_ page: Page, _ script: String) async throws -> [String] {
    try await page.evaluate(
      """
      (() => {
        const findings = [];
        const add = sentence => findings.push(sentence);
        const WIDTH = \(page.screen.width);
        \(tools)
        \(script)
        return [...new Set(findings)];
      })()
      """)
  }

  /// The rules for every page on every screen.
  static let all: [PageCheck] = [
    .overflow, .cutText, .pictureText, .contrast, .headings, .tables, .pictures, .identifiers, .scrollRegions,
  ]

  /// The common functions of the scripts.
  private static let tools = #"""
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
    """#
}
