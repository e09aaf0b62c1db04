import Foundation

/// A Swift type of a managed object's property: `Bool`, `Int`, `Int16`, `Int32`, `Int64`, `Double`, `Float`, `String`,
/// `Date`, `Data`, `[UInt8]`, `UUID`, `URL`, ``Value`` or an optional of these.
public protocol ManagedValue {
  /// The value in the form that a store keeps. A date, for example, becomes a number of seconds since 2001-01-01.
  var stored: Value { get }

  /// Creates the value from the form that a store keeps. Returns nil if `stored` is of another kind.
  init?(stored: Value)

  /// The value that a property of this type returns if there is no stored value, such as 0, the empty text, or nil.
  static var absent: Self { get }
}

extension ManagedValue where Self: FixedWidthInteger {
  public var stored: Value { .integer(Int64(self)) }
  public init?(stored: Value) {
    guard case .integer(let value) = stored else { return nil }
    self.init(exactly: value)
  }
  public static var absent: Self { 0 }
}

extension Int64: ManagedValue {}
extension Int: ManagedValue {}
extension Int32: ManagedValue {}
extension Int16: ManagedValue {}

extension Bool: ManagedValue {
  public var stored: Value { .integer(self ? 1 : 0) }
  public init?(stored: Value) {
    guard case .integer(let value) = stored else { return nil }
    self = value != 0
  }
  public static var absent: Self { false }
}

extension ManagedValue where Self: BinaryFloatingPoint {
  public var stored: Value { .double(Double(self)) }
  public init?(stored: Value) {
    guard let number = stored.number else { return nil }
    self.init(number)
  }
  public static var absent: Self { 0 }
}

extension Double: ManagedValue {}
extension Float: ManagedValue {}

extension String: ManagedValue {
  public var stored: Value { .string(self) }
  public init?(stored: Value) {
    guard case .string(let text) = stored else { return nil }
    self = text
  }
  public static var absent: Self { "" }
}

extension Date: ManagedValue {
  public var stored: Value { .double(timeIntervalSinceReferenceDate) }
  public init?(stored: Value) {
    guard let seconds = stored.number else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  public static var absent: Self { Date(timeIntervalSinceReferenceDate: 0) }
}

extension ManagedValue where Self: RangeReplaceableCollection<UInt8> {
  public var stored: Value { .binary([UInt8](self)) }
  public init?(stored: Value) {
    guard case .binary(let bytes) = stored else { return nil }
    self.init(bytes)
  }
  public static var absent: Self { Self() }
}

extension [UInt8]: ManagedValue {}
extension Data: ManagedValue {}

extension UUID: ManagedValue {
  public var stored: Value { .binary(withUnsafeBytes(of: uuid) { [UInt8]($0) }) }
  public init?(stored: Value) {
    guard case .binary(let bytes) = stored, bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  public static var absent: Self { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: ManagedValue {
  public var stored: Value { .string(absoluteString) }
  public init?(stored: Value) {
    guard case .string(let text) = stored else { return nil }
    self.init(string: text)
  }
  /// The URL `file:///`, which stands for an absent value. For an attribute that may be absent, use `URL?` instead.
  public static var absent: Self { URL(fileURLWithPath: "/") }
}

extension Optional: ManagedValue where Wrapped: ManagedValue {
  public var stored: Value { self?.stored ?? .null }
  public init?(stored: Value) {
    if stored.isNull {
      self = .none
    } else if let wrapped = Wrapped(stored: stored) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }
  public static var absent: Self { nil }
}

extension Value: ManagedValue {
  public var stored: Value { self }
  public init?(stored: Value) { self = stored }
  public static var absent: Self { .null }
}
