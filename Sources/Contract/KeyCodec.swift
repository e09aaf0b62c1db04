/// The encoding of record keys for engines that compare bytes. The flipped sign bit sorts negative keys before positive
/// ones.
///
///     collection index (UInt32, big endian) | key with flipped sign bit (64 bits, big endian), or UUID
public enum KeyCodec {
  /// The number of bytes of an encoded integer key. Encoded UUIDs are longer.
  public static let size = 12

  /// Converts a signed record key to an unsigned number that sorts in the same order.
  @inlinable @inline(__always)
  public static func ordered(_ key: Int64) -> UInt64 { UInt64(bitPattern: key) ^ (1 << 63) }

  /// Converts an unsigned number from ``ordered(_:)`` back to the signed record key.
  @inlinable @inline(__always)
  public static func key(ordered number: UInt64) -> Int64 { Int64(bitPattern: number ^ (1 << 63)) }

  /// Passes the encoded bytes of a record key to the closure `body`. The bytes are valid only inside the closure.
  @inlinable @inline(__always)
  public static func withBytes<Result>(
    of key: Int64, in collection: CollectionID, _ form: KeyForm = .integer,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard form.isOrdered else { return try withUUID(of: key, in: collection, form, body) }
    let index = UInt32(truncatingIfNeeded: collection.index).bigEndian
    let number = ordered(key).bigEndian
    return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { bytes in
      bytes.storeBytes(of: index, as: UInt32.self)
      bytes.storeBytes(of: number, toByteOffset: 4, as: UInt64.self)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  @usableFromInline
  static func withUUID<Result>(
    of key: Int64, in collection: CollectionID, _ form: KeyForm, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(byteCount: 4 + form.size, alignment: 1) { bytes in
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: collection.index).bigEndian, as: UInt32.self)
      form.withBytes(of: key) { UnsafeMutableRawBufferPointer(rebasing: bytes[4...]).copyMemory(from: .init($0)) }
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Returns the record key that the bytes encode, or nil if the key belongs to another collection.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the bytes are not a key.
  @inlinable @inline(__always)
  public static func key(
    _ bytes: UnsafeRawBufferPointer, in collection: CollectionID, _ form: KeyForm = .integer
  ) throws -> Int64? {
    guard bytes.count == 4 + form.size else { throw malformed(bytes.count) }
    let index = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    guard index == UInt32(truncatingIfNeeded: collection.index) else { return nil }
    guard form.isOrdered else { return try form.key(UnsafeRawBufferPointer(rebasing: bytes[4...])) }
    return key(ordered: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)))
  }

  @usableFromInline
  static func malformed(_ count: Int) -> StoreError { .damaged("a key of \(count) bytes is not a key of a record") }
}

extension UnsafeRawBufferPointer {
  /// A pointer to the buffer's first byte, for C functions that take a text and its length.
  @inlinable public var chars: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}
