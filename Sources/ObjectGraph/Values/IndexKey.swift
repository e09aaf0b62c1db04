/// A key for lookups in an index or a set: the values of some columns of a row. Texts are compared byte by byte.
struct IndexKey: Hashable {
  /// The value of the first column.
  let value: Value
  private let rest: [Value]

  /// Creates a key from the value of one column. Returns nil for null and NaN, which an index does not contain.
  init?(_ value: Value) {
    guard !value.isAbsent else { return nil }
    self.value = value
    rest = []
  }

  init?<Row: RandomAccessCollection<Value>>(_ row: Row, _ indices: [Int]) where Row.Index == Int {
    guard indices.allSatisfy({ !row[$0].isAbsent }) else { return nil }
    value = row[indices[0]]
    rest = indices.count == 1 ? [] : indices.dropFirst().map { row[$0] }
  }

  var values: [Value] { [value] + rest }

  static func == (left: Self, right: Self) -> Bool {
    left.value.isSame(as: right.value) && left.rest.elementsEqual(right.rest) { $0.isSame(as: $1) }
  }

  func hash(into hasher: inout Hasher) {
    Self.hash(value, into: &hasher)
    for value in rest { Self.hash(value, into: &hasher) }
  }

  private static func hash(_ value: Value, into hasher: inout Hasher) {
    switch value {
    case .null: break
    case .integer(let number): hasher.combine(number)
    // Hashes a whole double as an integer, because an integer and an equal double are the same value.
    case .double(let number):
      if let whole = Int64(exactly: number) { hasher.combine(whole) } else { hasher.combine(number) }
    // Hashes the bytes, because Swift hashes the Unicode normal form of a text.
    case .string(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .binary(let bytes): hasher.combine(bytes)
    }
  }
}

extension Value {
  /// Whether the value is null or NaN. SQLite stores NaN as NULL.
  var isAbsent: Bool {
    switch self {
    case .null: true
    case .double(let number): number.isNaN
    default: false
    }
  }
}
