import Foundation

/// Bytes that grow at their end, in one block of memory. With the right capacity from the start there is one
/// allocation.
struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  /// Makes an empty buffer with room for some bytes.
  init(capacity: Int) {
    self.capacity = max(capacity, 256)
    base = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  /// Passes the bytes.
  borrowing func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Makes sure that there is room for some more bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: base + count, count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number, its lowest byte first.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Appends a number, seven bits to a byte, the lowest ones first: small ones are short.
  @inline(__always)
  mutating func append(varint number: UInt64) {
    reserve(10)
    var rest = number
    while rest >= 0x80 {
      base.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      rest >>= 7
    }
    base.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends how many bytes there are, and the bytes.
  @inline(__always)
  mutating func append(counted bytes: UnsafeRawBufferPointer) {
    append(varint: UInt64(bytes.count))
    append(bytes)
  }

  mutating func append(counted text: String) {
    var text = text
    text.withUTF8 { append(counted: UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number in digits.
  mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    // The digits of up to 20 places, from the last one on.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var place = 20
      var rest = number.magnitude
      repeat {
        place -= 1
        digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[place...]))
    }
  }

  /// Has bytes put behind the others.
  ///
  /// - Parameter body: Fills what it is lent from the start, and tells how many bytes it has filled.
  mutating func append(
    upTo more: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows -> Int {
    reserve(more)
    let added = try body(UnsafeMutableRawBufferPointer(start: base + count, count: more))
    precondition(added >= 0 && added <= more)
    count += added
    return added
  }

  /// Overwrites a number that was appended.
  mutating func replace<Number: FixedWidthInteger>(at place: Int, littleEndian number: Number) {
    precondition(place >= 0 && place + MemoryLayout<Number>.size <= count)
    base.storeBytes(of: number.littleEndian, toByteOffset: place, as: Number.self)
  }
}

/// A number that is different for different bytes: what tells damage from data.
///
/// Each step maps eight bytes and the state before one to one to the state after, so that no damage within eight
/// aligned bytes goes unnoticed, and other damage with a probability of one in 2^64. It protects from accidents, not
/// from forgery.
enum Checksum {
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
    @inline(__always) func add(_ word: UInt64) {
      state = (state ^ word) &* 0xff51_afd7_ed55_8ccd
      // A product's high bits depend on all bits, its low ones on few.
      state ^= state >> 32
    }
    let end = bytes.count & ~7
    for place in stride(from: 0, to: end, by: 8) {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
    }
    var rest: UInt64 = 0
    for place in end..<bytes.count { rest |= UInt64(bytes[place]) << UInt64((place - end) * 8) }
    add(rest)
    return state
  }
}
