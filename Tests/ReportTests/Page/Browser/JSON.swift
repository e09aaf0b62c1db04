import Foundation

/// The parameters of a DevTools command, written as literals: `["url": "about:blank", "width": 1280]`.
///
/// Answers are decoded into types of their own; this is for what is sent.
enum JSON: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A text.
  case string(String)
  /// True or false.
  case bool(Bool)
  /// A number, whole or not.
  case number(Double)
  /// A list.
  case array([JSON])
  /// Values by name.
  case object([String: JSON])

  // What literals are made into.
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }

  /// Writes the value as it is, with no key for the case. A whole number has no decimal point: DevTools refuses 3.0
  /// where it wants an integer.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  /// A text as a literal of JavaScript, quotation marks included.
  static func literal(_ text: String) -> String {
    let data = try? JSONEncoder().encode(text)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}

/// What went wrong between a test and the browser, as a sentence.
struct BrowserError: Error, CustomStringConvertible {
  /// The sentence.
  let description: String

  init(_ description: String) { self.description = description }
}
