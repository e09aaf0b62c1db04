/// A value as a store keeps it, in one column of one row. Dates are seconds since 2001-01-01, Booleans 0 or 1, UUIDs 16
/// bytes, and URLs texts.
@frozen
public enum Value: Hashable, Sendable {
  /// No value: `nil` in Swift, NULL in SQL.
  case null
  /// An integer.
  case integer(Int64)
  /// A floating-point number. An attribute converts NaN to ``null``, as SQLite does.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case binary([UInt8])

  /// Whether the value is ``null``, which stands for no value.
  public var isNull: Bool { if case .null = self { true } else { false } }

  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension Value: CustomStringConvertible {
  /// The value as an SQL literal, such as `'Eva'`. Binary data of more than 16 bytes is shown as a length, such as
  /// `<20 bytes>`.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text): "'\(text.replacing("'", with: "''"))'"
    case .binary(let bytes): bytes.count <= 16 ? "x'\(Self.hex(bytes))'" : "<\(bytes.count) bytes>"
    }
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Value {
  /// Returns whether a store treats both values as the same. Texts are compared byte by byte, and 1 is the same as 1.0.
  func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    // `==` is tested first, because it is fast and true for all texts with equal bytes.
    case (.string(let left), .string(let right)): left == right && left.utf8.elementsEqual(right.utf8)
    case (.binary(let left), .binary(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
    case (.integer(let left), .double(let right)), (.double(let right), .integer(let left)):
      Self.order(left, right) == 0
    default: false
    }
  }

  /// Returns whether this value comes before another one in SQLite's order: NULL, numbers, texts, and then bytes.
  func precedes(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): return left < right
    case (.string(let left), .string(let right)): return left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.binary(let left), .binary(let right)): return left.lexicographicallyPrecedes(right)
    case (.double(let left), .double(let right)): return left < right
    case (.integer(let left), .double(let right)): return Self.order(left, right) < 0
    case (.double(let left), .integer(let right)): return Self.order(right, left) > 0
    default: return rank < other.rank
    }
  }

  /// Compares an integer with a floating-point number, without rounding: -1 if the integer is less, 0 if equal, 1 if
  /// greater.
  private static func order(_ left: Int64, _ right: Double) -> Int {
    if right.isNaN || right < -0x1p63 { return 1 }
    if right >= 0x1p63 { return -1 }
    let whole = Int64(right.rounded(.down))
    if left != whole { return left < whole ? -1 : 1 }
    return Double(whole) < right ? -1 : 0
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .double: 1
    case .string: 2
    case .binary: 3
    }
  }
}
