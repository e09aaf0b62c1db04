/// What the keyboard reaches, and what a screen reader calls it.
enum KeyboardCheck {
  /// The roles of what a reader can do something with, and of pictures.
  private static let roles: Set<String> = [
    "link", "button", "DisclosureTriangle", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider",
    "spinbutton", "switch", "tab", "menuitem", "option", "listbox", "PopUpButton", "ComboBoxMenuButton",
    "image",
  ]

  /// Presses Tab through the whole page and reads the accessibility tree, and says what was not reached and what has no
  /// name. What is folded is to be unfolded before.
  ///
  /// - Throws: ``BrowserError``.
  static func findings(_ page: Page) async throws -> [String] {
    var findings = try await unreached(page)
    let tree = try await page.accessibilityTree()
    for node in tree where roles.contains(node.role) || (node.isFocusable && node.role != "RootWebArea") {
      if node.name.trimmingCharacters(in: .whitespaces).isEmpty {
        findings.append("\(node.role) has no name (focusable: \(node.isFocusable), number \(node.id))")
      }
    }
    return findings
  }

  /// Elements in the page's order that Tab should reach: all that can be used, of radio buttons one of a group, and of
  /// the parts of a composite (a tool bar, a list of tabs), of which the arrow keys choose one, at least one.
  private static let script = """
    const composite = '[role=toolbar], [role=radiogroup], [role=tablist], [role=listbox], [role=menu], [role=grid]';
    const groups = new Map();
    for (const element of controls()) {
      const isNative = element.matches('a[href], button, summary, input, select, textarea');
      if (element.tabIndex < 0 && !isNative) continue;
      const group = element.type === 'radio' ? 'radio ' + element.name : element.closest(composite) ?? element;
      groups.set(group, [...(groups.get(group) ?? []), element]);
    }
    """

  private static func unreached(_ page: Page) async throws -> [String] {
    // The list stays in the page while Tab is pressed.
    let declare = PageCheck(
      name: "",
      script: script + """
        globalThis.pageTestGroups = [...groups.values()];
        globalThis.pageTestReached = new Set();
        globalThis.pageTestLook = () =>
          pageTestReached.add(pageTestGroups.findIndex(group => group.includes(document.activeElement)));
        document.addEventListener('focusin', pageTestLook);
        add(String(groups.size));
        """)
    let count = try await Int(declare.findings(page).first ?? "0") ?? 0
    try await page.run("document.activeElement.blur(); scrollTo(0, 0)")
    var reached: Set<Int> = []
    // A tool bar's parts may each be reached: twice as often, and a few more for what holds the focus besides.
    var left = 2 * count + 5
    while left > 0, reached.count < count {
      // Where no script runs, no listener does either: then the focus has to be asked for after each.
      let times = page.screen.hasScript ? min(left, count + 5) : 1
      try await page.hold(.tab, times: times)
      reached = Set(try await page.evaluate("pageTestLook(); [...pageTestReached]", as: [Int].self)).subtracting([-1])
      left -= times
    }
    let missing = (0..<count).filter { !reached.contains($0) }
    let name = PageCheck(
      name: "",
      script: """
        for (const index of \(missing)) {
          const element = globalThis.pageTestGroups[index][0];
          add(`Tab does not reach ${path(element)}: ${words(element) || label(element)}`);
        }
        """)
    return missing.isEmpty ? [] : try await name.findings(page)
  }
}
