/// The encoding of a record for engines without columns. The engine stores the key separately. Numbers are little
/// endian.
///
///     score (8 bytes) | modified (8) | length of name (4) | length of group (4) | name | group | payload
public enum RecordCodec {
  /// The number of bytes before the name in an encoded record: the score, the time and two lengths.
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

    /// Measures the name, group and payload of a record in bytes. The pointer avoids a copy of the record.
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

  /// Writes the record at a pointer in encoded form, without its key. A copy of the record would double the time.
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
    // Most texts have 8 to 32 bytes. Two calls of `memcpy` take 1/50 of the time to store a record in LMDB
    // (`scripts/lab fidelity`).
    guard let text else { return }
    let source = UnsafeRawPointer(text)
    switch count {
    case 8...16: copyEnds(of: source, count, as: UInt64.self, to: target)
    case 17...32: copyEnds(of: source, count, as: SIMD2<UInt64>.self, to: target)
    case 4...7: copyEnds(of: source, count, as: UInt32.self, to: target)
    default: target.copyMemory(from: source, byteCount: count)
    }
  }

  /// Copies a text as two pieces, which may overlap: its first and its last bytes. Each piece has the size of `Value`.
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
