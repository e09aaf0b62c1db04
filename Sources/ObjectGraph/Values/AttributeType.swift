import Foundation

/// The type of an attribute, which decides its column and which values it takes.
public enum AttributeType: String, Sendable, CaseIterable, Codable {
  /// A whole number from -32,768 to 32,767.
  case integer16
  /// A whole number of 32 bits, with its sign.
  case integer32
  /// A whole number of 64 bits, with its sign.
  case integer64
  /// True or false, kept as 1 or 0.
  case boolean
  /// A fraction of 64 bits; NaN is no value and becomes null.
  case double
  /// A fraction that 32 bits hold exactly.
  case float
  /// A text, byte for byte as it was set.
  case string
  /// A moment, kept as seconds since 2001-01-01.
  case date
  /// Bytes; long ones may lie in a file of their own.
  case binary
  /// A UUID, kept as its 16 bytes.
  case uuid
  /// A URI, kept as its text.
  case uri

  /// The type of the column, as Core Data writes it; SQLite derives the affinity from it.
  var columnType: String {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .string, .uri: "VARCHAR"
    case .date: "TIMESTAMP"
    case .binary, .uuid: "BLOB"
    }
  }

  /// Returns whether a column of this type can hold the value. Null is another question: see
  /// ``AttributeDescription/isOptional``.
  func accepts(_ value: Value) -> Bool {
    // By value first: looking at both at once would retain a text or bytes.
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

  /// Returns the value in this type's own kind, or nil if it is of another: whole numbers become fractions where those
  /// are meant, and NaN null, as in SQLite.
  func converted(_ value: Value) -> Value? {
    if accepts(value) { return value }
    switch (self, value) {
    // A value that was not accepted is NaN.
    case (.double, .double), (.date, .double): return .null
    case (.double, .integer(let number)), (.date, .integer(let number)):
      return .double(Double(number))
    case (.float, .integer(let number)): return .double(Double(Float(number)))
    case (.float, .double(let number)): return number.isNaN ? .null : .double(Double(Float(number)))
    default: return nil
    }
  }

  /// Returns the stored form of a column of this type. SQLite keeps 2.0 in a column of type INTEGER as 2, and a damaged
  /// or foreign file may hold anything.
  func restored(_ value: Value) -> Value { converted(value) ?? value }

  /// Returns the Swift value as Core Data's key-value access gives it: a number, `String`, `Date`, `Data`, `UUID`,
  /// `URL`.
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
