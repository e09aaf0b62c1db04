/// The encoding of a record as the value of a key, for engines without columns. The engine stores the key separately.
///
///     offset  bytes  field
///          0      8  score, IEEE 754 double, little endian
///          8      8  modified, IEEE 754 double, little endian
///         16      4  length of name in bytes, UInt32, little endian
///         20      4  length of group in bytes, UInt32, little endian
///         24      -  name, group, payload, one after the other, to the end
///
/// A backend needs only two calls: ``withBytes(of:_:)-(Record,_)`` passes the bytes to store, and ``view(_:key:)``
/// returns a ``RecordView`` that points into stored bytes, without decoding.
///
///     RecordCodec.withBytes(of: record) { put(key, $0.baseAddress, $0.count) }
///     try body(RecordCodec.view(bytes, key: key))
public enum RecordCodec {
  /// The number of bytes before the name in an encoded record: the size of score, time and two lengths.
  public static let headerSize = 24

  /// Returns the number of bytes that ``encode(_:into:)`` writes for a record.
  @inlinable
  public static func encodedSize(of record: Record) -> Int { record.logicalSize }

  /// The lengths in bytes of a record's name, group and payload, measured once and used for both allocating and
  /// copying.
  @frozen
  public struct Lengths {
    @usableFromInline let name: Int
    @usableFromInline let group: Int
    @usableFromInline let payload: Int

    /// Measures the name, group and payload of a record behind a pointer, without copying the record.
    @inlinable
    public init(_ record: UnsafePointer<Record>) {
      name = record.pointee.name.utf8.count
      group = record.pointee.group.utf8.count
      payload = record.pointee.payload.count
    }

    /// The number of bytes of the encoded record. The sum cannot overflow, because all parts are in memory.
    @inlinable public var encoded: Int { headerSize &+ name &+ group &+ payload }
  }

  /// Encodes a record and passes the bytes to the body. The bytes are valid only inside the body.
  @inlinable @inline(__always)
  public static func withBytes<Result>(
    of record: Record, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafePointer(to: record) { try withBytes(of: $0, body) }
  }

  /// Encodes a record behind a pointer, without copying the record, and passes the bytes to the body.
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

  /// Writes the encoded value of a record into memory that an engine provides.
  ///
  /// - Parameters:
  ///   - record: The record; its id is not written.
  ///   - buffer: Memory for at least ``encodedSize(of:)`` bytes, of any alignment.
  @inlinable
  public static func encode(_ record: Record, into buffer: UnsafeMutableRawBufferPointer) {
    withUnsafePointer(to: record) { encode($0, Lengths($0), into: buffer.baseAddress.unsafelyUnwrapped) }
  }

  /// Writes the encoded value of a record behind a pointer, without copying the record. A copy of the record would
  /// change three reference counts, which takes as long as the rest of the encoding.
  ///
  /// - Parameters:
  ///   - record: The record; its id is not written.
  ///   - lengths: The lengths of the record's texts and payload.
  ///   - target: Memory for ``Lengths/encoded`` bytes, of any alignment.
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

  /// Copies the bytes of a text. A text of 4 to 32 bytes takes two moves that may overlap, which are faster than
  /// `memcpy`.
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

  /// Copies bytes as two values: one from the start of the bytes, and one from their end. The two values cover all
  /// bytes, because each value is at least half as long as all bytes.
  @inlinable @inline(__always)
  static func copyEnds<Value: BitwiseCopyable>(
    of source: UnsafeRawPointer, _ count: Int, as type: Value.Type, to target: UnsafeMutableRawPointer
  ) {
    let last = count - MemoryLayout<Value>.size
    target.storeBytes(of: source.loadUnaligned(as: type), as: type)
    target.storeBytes(of: source.loadUnaligned(fromByteOffset: last, as: type), toByteOffset: last, as: type)
  }

  /// Returns a view of a record over its encoded bytes.
  ///
  /// - Parameters:
  ///   - bytes: The output of ``encode(_:into:)``; the view points into it.
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
  /// Passes the string's UTF-8 bytes to the body. Unlike `withUTF8`, the method works on a constant, without a copy.
  @inlinable
  public func withLentUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    // The string is not native, which does not happen on Linux.
    var copy = self
    return try copy.withUTF8(body)
  }
}
