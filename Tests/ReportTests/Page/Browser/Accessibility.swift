import Foundation

/// An element as a screen reader is told of it.
struct AccessibleNode: Sendable, Decodable {
  /// Its number in the tree.
  var id: String
  /// `link`, `button`, `DisclosureTriangle`, `heading`, ... as Chromium calls it.
  var role: String
  /// What a screen reader calls it; empty for nothing.
  var name: String
  /// What it says beyond the name; empty for nothing.
  var details: String
  /// Its value, as a field's text; empty for none.
  var value: String
  /// What else is known: `focusable`, `level`, `expanded`, `pressed`, ... with the value as a text.
  var properties: [String: String]
  /// The numbers of what is in it, in the order of reading.
  var children: [String]
  /// Whether a screen reader is not told of it.
  var isIgnored: Bool
  /// The element's number for ``Page/send(_:_:)``, as in `DOM.describeNode`.
  var element: Int?

  /// Whether the keyboard can get to it.
  var isFocusable: Bool { properties["focusable"] == "true" }

  private enum Key: String, CodingKey {
    case nodeId, role, name, description, value, properties, childIds, ignored, backendDOMNodeId
  }

  /// A value with its type, which says nothing here.
  private struct Value: Decodable {
    var text: String?

    private enum Key: String, CodingKey { case value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if let text = try? container.decode(String.self, forKey: .value) {
        self.text = text
      } else if let flag = try? container.decode(Bool.self, forKey: .value) {
        text = "\(flag)"
      } else if let number = try? container.decode(Double.self, forKey: .value) {
        text = Int(exactly: number).map(String.init) ?? "\(number)"
      }
    }
  }

  private struct Property: Decodable {
    var name: String
    var value: Value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func text(_ key: Key) throws -> String { try container.decodeIfPresent(Value.self, forKey: key)?.text ?? "" }
    id = try container.decode(String.self, forKey: .nodeId)
    role = try text(.role)
    name = try text(.name)
    details = try text(.description)
    value = try text(.value)
    let properties = try container.decodeIfPresent([Property].self, forKey: .properties) ?? []
    self.properties = Dictionary(properties.map { ($0.name, $0.value.text ?? "") }, uniquingKeysWith: { $1 })
    children = try container.decodeIfPresent([String].self, forKey: .childIds) ?? []
    isIgnored = try container.decode(Bool.self, forKey: .ignored)
    element = try container.decodeIfPresent(Int.self, forKey: .backendDOMNodeId)
  }
}

extension Page {
  /// All that a screen reader is told of the page, in the order of the tree, the root first.
  ///
  /// - Throws: ``BrowserError``.
  func accessibilityTree() async throws -> [AccessibleNode] {
    struct Tree: Decodable { var nodes: [AccessibleNode] }
    let tree: Tree = try await send("Accessibility.getFullAXTree")
    return tree.nodes.filter { !$0.isIgnored }
  }
}
