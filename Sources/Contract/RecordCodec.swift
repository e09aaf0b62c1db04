/// The encoding of a record as bytes, for engines without columns, such as key-value stores. The engine stores the key
/// separately.
///
///     offset  bytes  field
///          0      8  score, IEEE 754 double, little endian
///          8      8  modified, IEEE 754 double, little endian
///         16      4  length of name in bytes, UInt32, little endian
///         20      4  length of group in bytes, UInt32, little endian
///         24      -  name, group, payload, one after the other, to the end
///
/// A backend encodes a record by one call, and reads stored bytes by another:
///
///     RecordCodec.withBytes(of: record) { put(key, $0.baseAddress, $0.count) }
///     try body(RecordCodec.view(bytes, key: key))
public enum RecordCodec {
  /// The number of bytes before the name in an encoded record. They hold the score, the time and two lengths.
  public static let headerSize = 24

  /// Returns the number of bytes that ``encode(_:into:)`` writes for a record.
  @inlinable
  public static func encodedSize(of record: Record) -> Int { record.logicalSize }

  /// The lengths in bytes of a record's name, group and payload.
  @frozen
  public struct Lengths {
    @usableFromInline let name: Int
    @usableFromInline let group: Int
    @usableFromInline let payload: Int

    /// Measures the lengths in bytes of a record's name, group and payload. The record is read through a pointer, so
    /// that it is not copied.
    @inlinable
    public init(_ record: UnsafePointer<Record>) {
      name = record.pointee.name.utf8.count
      group = record.pointee.group.utf8.count
      payload = record.pointee.payload.count
    }

    /// The number of bytes of the encoded record.
    @inlinable public var encoded: Int { headerSize &+ name &+ group &+ payload }
  }

  /// Encodes a record and passes the bytes to the closure `body`. The bytes are valid only inside the closure.
  @inlinable @inline(__always)
  public static func withBytes<Result>(
    of record: Record, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafePointer(to: record) { try withBytes(of: $0, body) }
  }

  /// Encodes the record at a pointer and passes the bytes to the closure `body`. The bytes are valid only inside the
  /// closure.
  @inlinable @inline(__always)
  public static func withBytes<Result>(
    of record: UnsafePointer<Record>, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let lengths = Lengths(record)
    return try withUnsafeTemporaryAllocation(byteCount: lengths.encoded, alignment: 8) { bytes in
      encode(record, lengths, into: bytes.baseAddress.unsafelyUnwrapped)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes a record in encoded form, without its key, into memory that an engine provides.
  ///
  /// - Parameters:
  ///   - record: The record; its id is not written.
  ///   - buffer: Memory for at least ``encodedSize(of:)`` bytes, of any alignment.
  @inlinable
  public static func encode(_ record: Record, into buffer: UnsafeMutableRawBufferPointer) {
    withUnsafePointer(to: record) { encode($0, Lengths($0), into: buffer.baseAddress.unsafelyUnwrapped) }
  }

  /// Writes the record at a pointer in encoded form, without its key.
  ///
  /// The pointer avoids a copy of the record. A copy would double the time, because it changes three reference counts.
  ///
  /// - Parameter target: Memory for ``Lengths/encoded`` bytes, of any alignment.
  @inlinable @inline(__always)
  public static func encode(_ record: UnsafePointer<Record>, _ lengths: Lengths, into target: UnsafeMutableRawPointer) {
    let (name, group) = (lengths.name, lengths.group)
    target.storeBytes(of: record.pointee.score.bitPattern.littleEndian, as: UInt64.self)
    target.storeBytes(of: record.pointee.modified.bitPattern.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: UInt32(truncatingIfNeeded: name).littleEndian, toByteOffset: 16, as: UInt32.self)
    target.storeBytes(of: UInt32(truncatingIfNeeded: group).littleEndian, toByteOffset: 20, as: UInt32.self)
    let texts = target + headerSize
    copyText(record.pointee.name, name, to: texts)
    copyText(record.pointee.group, group, to: texts + name)
    record.pointee.payload.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { (texts + name + group).copyMemory(from: base, byteCount: bytes.count) }
    }
  }

  @inlinable @inline(__always)
  static func copyText(_ text: String, _ count: Int, to target: UnsafeMutableRawPointer) {
    if let text = SmallText(text, count: count) {
      text.copy(to: target)
    } else {
      text.withLentUTF8 { copyText($0.baseAddress, count, to: target) }
    }
  }

  /// Copies the bytes of a text. Texts of 4 to 32 bytes are copied by two moves, which is faster than `memcpy`.
  @inlinable @inline(__always)
  package static func copyText(_ text: UnsafePointer<UInt8>?, _ count: Int, to target: UnsafeMutableRawPointer) {
    // Most texts are 8 to 32 bytes long. Calls of `memcpy` for the two texts of a record would take about a fiftieth of
    // the time that LMDB needs to store the record (`scripts/lab fidelity`, lmdb import).
    guard let text else { return }
    let source = UnsafeRawPointer(text)
    switch count {
    case 8...16: copyEnds(of: source, count, as: UInt64.self, to: target)
    case 17...32: copyEnds(of: source, count, as: SIMD2<UInt64>.self, to: target)
    case 4...7: copyEnds(of: source, count, as: UInt32.self, to: target)
    default: target.copyMemory(from: source, byteCount: count)
    }
  }

  /// Copies a short text by two moves of a fixed size: one for the first bytes, one for the last bytes. The moves may
  /// overlap, but must cover the whole text: moves of 8 bytes copy a text of 8 to 16 bytes.
  @inlinable @inline(__always)
  static func copyEnds<Value: BitwiseCopyable>(
    of source: UnsafeRawPointer, _ count: Int, as type: Value.Type, to target: UnsafeMutableRawPointer
  ) {
    let last = count - MemoryLayout<Value>.size
    target.storeBytes(of: source.loadUnaligned(as: type), as: type)
    target.storeBytes(of: source.loadUnaligned(fromByteOffset: last, as: type), toByteOffset: last, as: type)
  }

  /// Returns a view of an encoded record, without decoding the texts.
  ///
  /// - Parameters:
  ///   - bytes: The output of ``encode(_:into:)``. The view points into these bytes.
  ///   - key: The record's key.
  /// - Throws: ``StoreError/damaged(_:)`` if the lengths do not fit the bytes.
  @inlinable
  public static func view(_ bytes: UnsafeRawBufferPointer, key: Int64) throws -> RecordView {
    guard bytes.count >= headerSize else { throw malformed(key, bytes.count) }
    let nameLength = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)))
    let groupLength = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self)))
    let payloadOffset = headerSize + nameLength + groupLength
    guard payloadOffset <= bytes.count else { throw malformed(key, bytes.count) }
    let score = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    let modified = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let base = bytes.baseAddress.unsafelyUnwrapped
    return RecordView(
      id: key, score: Double(bitPattern: score), modified: Double(bitPattern: modified),
      name: UnsafeRawBufferPointer(start: base + headerSize, count: nameLength),
      group: UnsafeRawBufferPointer(start: base + headerSize + nameLength, count: groupLength),
      payload: UnsafeRawBufferPointer(start: base + payloadOffset, count: bytes.count - payloadOffset))
  }

  @usableFromInline
  static func malformed(_ key: Int64, _ count: Int) -> StoreError {
    .damaged("the value of record \(key), \(count) bytes long, is not a record")
  }
}

extension String {
  /// Passes the string's UTF-8 bytes to the closure `body`. Unlike `withUTF8`, this method works on a constant string.
  @inlinable
  public func withLentUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    // The string is not native, which does not happen on Linux.
    var copy = self
    return try copy.withUTF8(body)
  }
}
