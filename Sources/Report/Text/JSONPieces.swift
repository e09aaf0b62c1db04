import Foundation

/// A writer of a JSON object in pieces, so that the whole text is never in memory.
struct JSONPieces {
  /// The encoder of the values in the JSON object. The caller must write the object's members in sorted order.
  let encoder: JSONEncoder
  let append: TextFile.Append
  private var isFirst = true

  init(_ encoder: JSONEncoder, to append: @escaping TextFile.Append) throws {
    self.encoder = encoder
    self.append = append
    try append("{")
  }

  private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }

  /// Returns the JSON of a value. All lines after the first are indented by `depth` more levels.
  private func text(_ value: some Encodable, depth: Int) throws -> String {
    let data = try encoder.encode(value)
    guard isPretty else { return String(decoding: data, as: UTF8.self) }
    let indentation = lineEnd(depth).utf8.dropFirst()
    var bytes: [UInt8] = []
    for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
      // The empty line in an empty list or object is not indented.
      if !bytes.isEmpty { bytes.append(0x0A) }
      if !bytes.isEmpty, !line.isEmpty { bytes.append(contentsOf: indentation) }
      bytes.append(contentsOf: line)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func lineEnd(_ depth: Int) -> String { isPretty ? "\n" + String(repeating: "  ", count: depth) : "" }

  private mutating func begin(_ name: String) throws {
    try append((isFirst ? "" : ",") + lineEnd(1) + text(name, depth: 1) + (isPretty ? " : " : ":"))
    isFirst = false
  }

  mutating func member(_ name: String, _ value: (some Encodable)?) throws {
    guard let value else { return }
    try begin(name)
    try append(text(value, depth: 1))
  }

  mutating func list<Element: Encodable>(_ name: String, _ elements: some Collection<Element>) throws {
    guard !elements.isEmpty else { return try member(name, [Element]()) }
    try begin(name)
    try append("[")
    var isFirst = true
    for element in elements {
      try append((isFirst ? "" : ",") + lineEnd(2) + text(element, depth: 2))
      isFirst = false
    }
    try append(lineEnd(1) + "]")
  }

  func end() throws { try append(lineEnd(0) + "}") }
}

/// A JSON object of values of several types.
typealias JSONObject = [String: JSONValue]

struct JSONValue: Encodable {
  let value: any Encodable
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension JSONObject {
  /// Creates an object of the members that have a value.
  init(_ members: [String: (any Encodable)?]) {
    self = members.compactMapValues { $0.map { JSONValue(value: $0) } }
  }
}
