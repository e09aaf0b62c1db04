/// The check that the keyboard reaches all controls, and that a screen reader has a name for each.
enum KeyboardCheck {
  /// The roles of controls and of pictures.
  private static let roles: Set<String> = [
    "link", "button", "DisclosureTriangle", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider",
    "spinbutton", "switch", "tab", "menuitem", "option", "listbox", "PopUpButton", "ComboBoxMenuButton",
    "image",
  ]

  /// The accessibility tree of a page, as screen readers get it.
  private struct Tree: Decodable {
    var nodes: [Node]
  }

  private struct Node: Decodable {
    struct Text: Decodable { var value: String? }
    struct Property: Decodable {
      var name: String
      var value: Flag
    }
    /// A value that is true, or is of another type.
    struct Flag: Decodable {
      private enum Key: CodingKey { case value }
      var isSet: Bool

      init(from decoder: any Decoder) throws {
        isSet = (try? decoder.container(keyedBy: Key.self).decode(Bool.self, forKey: .value)) ?? false
      }
    }
    var nodeId: String
    var ignored: Bool
    var role: Text?
    var name: Text?
    var properties: [Property]?

    var isFocusable: Bool { properties?.contains { $0.name == "focusable" && $0.value.isSet } == true }
  }

  /// Presses Tab through the whole page and reads the accessibility tree. Folded parts must be unfolded before.
  ///
  /// - Returns: The controls that were not reached and those without a name.
  /// - Throws: ``BrowserError``.
  static func findings(_ page: Page) throws -> [String] {
    var findings = try unreached(page)
    let tree: Tree = try page.send("Accessibility.getFullAXTree")
    for node in tree.nodes where !node.ignored {
      let role = node.role?.value ?? ""
      guard roles.contains(role) || (node.isFocusable && role != "RootWebArea") else { continue }
      if (node.name?.value ?? "").allSatisfy(\.isWhitespace) {
        findings.append("\(role) has no name (focusable: \(node.isFocusable), number \(node.nodeId))")
      }
    }
    return findings
  }

  /// Lists the elements that Tab should reach, in the order of the page: all controls, one of a group of radio buttons, and
  /// at least one part of a composite (a tool bar, a list of tabs), in which the arrow keys choose.
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

  private static func unreached(_ page: Page) throws -> [String] {
    // The list stays in the page while Tab is pressed.
    let found = try PageCheck.findings(
      page,
      script + """
        globalThis.pageTestGroups = [...groups.values()];
        globalThis.pageTestReached = new Set();
        globalThis.pageTestLook = () =>
          pageTestReached.add(pageTestGroups.findIndex(group => group.includes(document.activeElement)));
        document.addEventListener('focusin', pageTestLook);
        add(String(groups.size));
        """)
    let count = Int(found.first ?? "0") ?? 0
    try page.run("document.activeElement.blur(); scrollTo(0, 0)")
    var reached: Set<Int> = []
    // Each part of a tool bar may be reached: twice as often, and a few more for other elements with the focus.
    var left = 2 * count + 5
    while left > 0, reached.count < count {
      // Without scripts listeners do not run either, so the focus is read after each key.
      let times = page.screen.hasScript ? min(left, count + 5) : 1
      try page.hold(.tab, times: times)
      reached = Set(try page.evaluate("pageTestLook(); [...pageTestReached]", as: [Int].self)).subtracting([-1])
      left -= times
    }
    let missing = (0..<count).filter { !reached.contains($0) }
    return try PageCheck.findings(
      page,
      """
      for (const index of \(missing)) {
        const element = globalThis.pageTestGroups[index][0];
        add(`Tab does not reach ${path(element)}: ${words(element) || label(element)}`);
      }
      """)
  }
}
