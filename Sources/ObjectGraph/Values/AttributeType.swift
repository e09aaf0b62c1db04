import Foundation

/// The type of an attribute, which determines its SQL column type and its valid values.
public enum AttributeType: String, Sendable, CaseIterable, Codable {
  /// An integer from -32,768 to 32,767.
  case integer16
  /// A signed integer of 32 bits.
  case integer32
  /// A signed integer of 64 bits.
  case integer64
  /// True or false, stored as 1 or 0.
  case boolean
  /// A floating-point number of 64 bits. NaN becomes null.
  case double
  /// A floating-point number of 32 bits.
  case float
  /// A text, stored byte for byte.
  case string
  /// A date, stored as seconds since 2001-01-01.
  case date
  /// Bytes. Long values may be stored in a separate file.
  case binary
  /// A UUID, stored as its 16 bytes.
  case uuid
  /// A URI, stored as its text.
  case uri

  /// The SQL type of a column for this attribute type, as in Core Data.
  var columnType: String {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .string, .uri: "VARCHAR"
    case .date: "TIMESTAMP"
    case .binary, .uuid: "BLOB"
    }
  }

  func accepts(_ value: Value) -> Bool {
    // The outer switch is over the value alone: a switch over the type and the value would retain a text or bytes.
    switch value {
    case .null: return true
    case .integer(let number):
      return switch self {
      case .integer64: true
      case .integer16: Int16(exactly: number) != nil
      case .integer32: Int32(exactly: number) != nil
      case .boolean: number == 0 || number == 1
      default: false
      }
    case .double(let number):
      return switch self {
      case .double, .date: !number.isNaN
      case .float: Double(Float(number)) == number
      default: false
      }
    case .string:
      if self == .string { return true }
      guard self == .uri, case .string(let text) = value else { return false }
      return URL(string: text) != nil
    case .binary:
      if self == .binary { return true }
      guard self == .uuid, case .binary(let bytes) = value else { return false }
      return bytes.count == 16
    }
  }

  /// Returns a value converted to this attribute type, or nil if that is impossible. NaN becomes null, as in SQLite.
  func converted(_ value: Value) -> Value? {
    if accepts(value) { return value }
    switch (self, value) {
    // A double that ``accepts(_:)`` has rejected is NaN.
    case (.double, .double), (.date, .double): return .null
    case (.double, .integer(let number)), (.date, .integer(let number)):
      return .double(Double(number))
    case (.float, .integer(let number)): return .double(Double(Float(number)))
    case (.float, .double(let number)): return number.isNaN ? .null : .double(Double(Float(number)))
    default: return nil
    }
  }

  /// Returns a value from a column, converted to this attribute type if possible, otherwise unchanged.
  func restored(_ value: Value) -> Value { converted(value) ?? value }

  func object(_ value: Value) -> Any? {
    switch (self, value) {
    case (_, .null): nil
    case (.boolean, _): Bool(stored: value)
    case (.date, _): Date(stored: value)
    case (.uuid, _): UUID(stored: value)
    case (.uri, _): URL(stored: value)
    case (.float, _): Float(stored: value)
    case (.integer16, _): Int16(stored: value)
    case (.integer32, _): Int32(stored: value)
    case (_, .integer(let number)): number
    case (_, .double(let number)): number
    case (_, .string(let text)): text
    case (_, .binary(let bytes)): Data(bytes)
    }
  }
}
