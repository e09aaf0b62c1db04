import Foundation

/// The layout in which engines without columns keep a record's value (the key is the engine's own).
///
///     offset  bytes  field
///          0      8  score, IEEE 754 double, little endian
///          8      8  modified, the same
///         16      4  length of name in bytes, UInt32, little endian
///         20      4  length of group in bytes, UInt32, little endian
///         24      -  name, group, payload, one after the other, to the end
///
/// The layout can be lent without decoding: a ``RecordView`` points into it.
public enum RecordCodec {
  /// Bytes before the texts.
  public static let headerSize = 24

  /// The number of bytes that ``encode(_:into:)`` writes for a record.
  @inlinable
  public static func encodedSize(of record: Record) -> Int { record.logicalSize }

  /// Writes a record's value.
  ///
  /// - Parameters:
  ///   - record: The record; its id is not written.
  ///   - buffer: At least ``encodedSize(of:)`` bytes, of any alignment.
  @inlinable
  public static func encode(_ record: Record, into buffer: UnsafeMutableRawBufferPointer) {
    let name = record.name.utf8.count
    let group = record.group.utf8.count
    buffer.storeBytes(of: record.score.bitPattern.littleEndian, toByteOffset: 0, as: UInt64.self)
    buffer.storeBytes(of: record.modified.bitPattern.littleEndian, toByteOffset: 8, as: UInt64.self)
    buffer.storeBytes(of: UInt32(name).littleEndian, toByteOffset: 16, as: UInt32.self)
    buffer.storeBytes(of: UInt32(group).littleEndian, toByteOffset: 20, as: UInt32.self)
    var offset = headerSize
    copy(record.name, to: buffer, at: &offset)
    copy(record.group, to: buffer, at: &offset)
    record.payload.withUnsafeBytes { payload in
      UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: payload)
    }
  }

  @inlinable
  static func copy(_ text: String, to buffer: UnsafeMutableRawBufferPointer, at offset: inout Int) {
    let count = text.utf8.count
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + count])
    // Native strings, which all are here, lend their bytes; a copy to make a string lend them would cost two
    // changes of a reference count.
    if text.utf8.withContiguousStorageIfAvailable({ target.copyMemory(from: UnsafeRawBufferPointer($0)) }) == nil {
      target.copyBytes(from: text.utf8)
    }
    offset += count
  }

  /// Lends stored bytes as a record.
  ///
  /// - Parameters:
  ///   - bytes: What ``encode(_:into:)`` wrote; the view points into it.
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
