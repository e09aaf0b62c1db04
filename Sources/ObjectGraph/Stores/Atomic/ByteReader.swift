/// Reads what a ``ByteBuffer`` wrote, and trusts no number in it.
struct ByteReader {
  private let all: UnsafeRawBufferPointer
  private let file: String
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer, file: String) {
    all = bytes
    self.file = file
  }

  /// How many bytes are left.
  var rest: Int { all.count - place }

  /// The error for what cannot be.
  func damage(_ what: String) -> ObjectGraphError { .damaged(file: file, "\(what), before byte \(place)") }

  @inline(__always)
  mutating func byte() throws -> UInt8 {
    guard place < all.count else { throw damage("it ends too early") }
    defer { place += 1 }
    return all[place]
  }

  @inline(__always)
  mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
    guard count <= rest else { throw damage("it ends too early") }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: all[place..<place + count])
  }

  @inline(__always)
  mutating func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    Number(littleEndian: try bytes(MemoryLayout<Number>.size).loadUnaligned(as: type))
  }

  @inline(__always)
  mutating func varint() throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try byte()
      // Of the tenth byte, one bit has room.
      guard shift < 63 || byte <= 1 else { break }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    throw damage("a number is too great")
  }

  /// How many things follow, each of one byte at least.
  mutating func number(of things: String) throws -> Int {
    let number = try varint()
    guard number <= UInt64(rest) else { throw damage("\(number) \(things) cannot be") }
    return Int(number)
  }

  /// A key that is told by its distance from the one before.
  @inline(__always)
  mutating func key(after last: Int64) throws -> Int64 {
    let (key, overflow) = last.addingReportingOverflow(Int64(truncatingIfNeeded: try varint()))
    guard !overflow, key > last else { throw damage("keys are not in order") }
    return key
  }

  @inline(__always)
  mutating func countedBytes() throws -> UnsafeRawBufferPointer {
    let count = try varint()
    guard count <= UInt64(rest) else { throw damage("\(count) bytes cannot be") }
    return try bytes(Int(count))
  }

  @inline(__always)
  mutating func text() throws -> String {
    guard let text = String(validating: try countedBytes(), as: UTF8.self) else {
      throw damage("a text is not UTF-8")
    }
    return text
  }
}
