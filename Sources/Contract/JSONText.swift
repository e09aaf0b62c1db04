import Foundation

extension JSONEncoder {
  /// An encoder of JSON in one line, with sorted keys.
  package static var compact: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  package static var pretty: JSONEncoder {
    let encoder = compact
    encoder.outputFormatting.insert(.prettyPrinted)
    return encoder
  }

  package func text(_ value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }
}
