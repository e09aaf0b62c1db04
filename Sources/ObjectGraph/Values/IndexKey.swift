/// The values of some columns of a row, the same where ``Value/isSame(as:)`` says so: texts byte by byte.
struct IndexKey: Hashable {
  private let first: Value
  private let rest: [Value]

  /// The key of one value, or nil if it is absent: such a value is the same as no other. NaN counts as absent, as
  /// which SQLite reads it back.
  init?(_ value: Value) {
    guard !value.isAbsent else { return nil }
    first = value
    rest = []
  }

  /// The key of the values in some places of a row, or nil if one of them is absent.
  init?<Row: RandomAccessCollection<Value>>(_ row: Row, _ places: [Int]) where Row.Index == Int {
    guard places.allSatisfy({ !row[$0].isAbsent }) else { return nil }
    first = row[places[0]]
    rest = places.count == 1 ? [] : places.dropFirst().map { row[$0] }
  }

  /// The value of a key of one.
  var value: Value { first }

  /// The values, in the order of the places.
  var values: [Value] { [first] + rest }

  static func == (left: Self, right: Self) -> Bool {
    left.first.isSame(as: right.first) && left.rest.elementsEqual(right.rest) { $0.isSame(as: $1) }
  }

  func hash(into hasher: inout Hasher) {
    Self.hash(first, into: &hasher)
    for value in rest { Self.hash(value, into: &hasher) }
  }

  private static func hash(_ value: Value, into hasher: inout Hasher) {
    switch value {
    case .null: break
    // A column holds one kind of numbers. Whole ones are looked up as such only.
    case .integer(let number): hasher.combine(number)
    case .double(let number): hasher.combine(number)
    // Swift's own hash of a text is that of its normal form.
    case .string(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .binary(let bytes): hasher.combine(bytes)
    }
  }
}

extension Value {
  /// Whether it is null or no number.
  var isAbsent: Bool {
    switch self {
    case .null: true
    case .double(let number): number.isNaN
    default: false
    }
  }
}
