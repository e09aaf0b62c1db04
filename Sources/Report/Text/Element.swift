/// An element of HTML, SVG or XML. Texts and attributes are escaped when they are written.
struct Element: Sendable {
  enum Node: Sendable {
    case text(String)
    case element(Element)
    /// Text that is written without escaping, such as a script of this suite.
    case verbatim(String)
  }

  let name: String
  private(set) var attributes: [(name: String, value: String)]
  private(set) var children: [Node]

  init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ children: [Element] = []) {
    self.init(name, attributes, nodes: children.map(Node.element))
  }

  init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String) {
    self.init(name, attributes, nodes: [.text(text)])
  }

  init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], nodes: [Node]) {
    self.name = name
    self.attributes = attributes.map { ($0.key, $0.value) }
    children = nodes
  }

  mutating func append(_ element: Element) { children.append(.element(element)) }

  mutating func append(_ elements: [Element]) { children += elements.map(Node.element) }

  /// Returns a copy of this element with an attribute, or an unchanged copy if `value` is nil.
  func with(_ name: String, _ value: String?) -> Element {
    var copy = self
    if let value { copy.attributes.append((name, value)) }
    return copy
  }

  /// Returns a copy of this SVG element with a tooltip, or an unchanged copy if `hover` is nil.
  func with(hover: String?) -> Element {
    var copy = self
    if let hover { copy.append(Element("title", text: hover)) }
    return copy
  }

  enum Syntax {
    /// The syntax of HTML. Empty elements have an end tag (`<td></td>`), except some such as `<meta>`.
    case html
    /// The syntax of XML. An empty element is written as `<path d="M0 0"/>`.
    case xml
    /// The syntax of XML with each element on a separate line, indented by its depth.
    case indentedXML
  }

  func text(_ syntax: Syntax) -> String {
    var text = ""
    text.reserveCapacity(verbatimBytes)
    write(to: &text, syntax)
    return text
  }

  /// The total size of the unescaped texts in this element, in bytes, for reserving memory.
  private var verbatimBytes: Int {
    children.reduce(0) { sum, child in
      switch child {
      case .text: sum
      case .element(let element): sum + element.verbatimBytes
      case .verbatim(let words): sum + words.utf8.count
      }
    }
  }

  /// Writes this element in two parts, before and after `content` is called. The syntax must not be `indentedXML`.
  func write(_ syntax: Syntax, to append: TextFile.Append, content: () throws -> Void) rethrows {
    var text = ""
    writeOpening(to: &text, syntax)
    for child in children { write(child, to: &text, syntax) }
    try append(text)
    try content()
    text = ""
    writeClosing(to: &text, syntax)
    try append(text)
  }

  private func write(to text: inout String, _ syntax: Syntax, depth: Int = 0) {
    let isIndented = syntax == .indentedXML
    if isIndented { text += String(repeating: "  ", count: depth) }
    if children.isEmpty, syntax != .html || Self.void.contains(name) {
      writeTag(to: &text, syntax)
      text += inner(syntax) == .html ? ">" : "/>"
      writeLineEnd(to: &text, syntax)
    } else {
      writeOpening(to: &text, syntax)
      for child in children { write(child, to: &text, inner(syntax), depth: depth + 1) }
      if isIndented, holdsElements { text += String(repeating: "  ", count: depth) }
      writeClosing(to: &text, syntax)
    }
  }

  private func write(_ child: Node, to text: inout String, _ syntax: Syntax, depth: Int = 0) {
    switch child {
    case .text(let words): Self.escape(words, to: &text, syntax)
    case .element(let element): element.write(to: &text, syntax, depth: depth)
    case .verbatim(let words): text += words
    }
  }

  private func inner(_ syntax: Syntax) -> Syntax { name == "svg" ? .xml : syntax }

  private var holdsElements: Bool { children.contains { if case .element = $0 { true } else { false } } }

  private func writeTag(to text: inout String, _ syntax: Syntax) {
    text += "<\(name)"
    for (name, value) in attributes {
      text += " \(name)=\""
      Self.escape(value, to: &text, syntax)
      text += "\""
    }
  }

  private func writeOpening(to text: inout String, _ syntax: Syntax) {
    writeTag(to: &text, syntax)
    text += ">"
    if syntax == .indentedXML ? holdsElements : Self.containers.contains(name) { text += "\n" }
  }

  private func writeClosing(to text: inout String, _ syntax: Syntax) {
    text += "</\(name)>"
    writeLineEnd(to: &text, syntax)
  }

  private func writeLineEnd(to text: inout String, _ syntax: Syntax) {
    if syntax == .indentedXML || !Self.inline.contains(name) { text += "\n" }
  }

  private static let void: Set<String> = ["input", "link", "meta"]
  /// The names of elements that are written with a line break after the start tag.
  private static let containers: Set<String> = [
    "html", "head", "body", "main", "header", "footer", "nav", "section", "figure", "table", "thead", "tbody", "tr",
    "ul", "ol", "dl", "details", "div", "svg", "g", "defs", "testsuites", "testsuite",
  ]
  /// The names of elements that are written without a line break after them. A browser would show the break as a space.
  private static let inline: Set<String> = [
    "a", "b", "strong", "em", "code", "data", "input", "label", "span", "abbr", "tspan", "td", "th", "title", "text",
  ]

  private static func escape(_ words: String, to text: inout String, _ syntax: Syntax) {
    guard
      words.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x26 || $0 == 0x3C || $0 == 0x3E || $0 >= 0x7F })
    else {
      text += words
      return
    }
    for scalar in words.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n" where syntax == .indentedXML: text += "&#10;"
      case "\t", "\n", "\r": text += " "
      case "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar.steers ? "\u{FFFD}" : scalar)
      }
    }
  }
}
