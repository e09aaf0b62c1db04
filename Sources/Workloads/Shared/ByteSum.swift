import StorageContract

/// A fast sum over all bytes of a record. Workloads use the sum to read every byte.
public enum ByteSum {
  /// Returns a sum over all numbers, texts and payload bytes of a record, without a copy. Eight bytes are added at
  /// once.
  @inlinable
  public static func of(_ view: RecordView) -> UInt64 {
    var sum = UInt64(bitPattern: view.id) &+ view.score.bitPattern &+ view.modified.bitPattern
    add(view.name, to: &sum)
    add(view.group, to: &sum)
    add(view.payload, to: &sum)
    return sum
  }

  @inlinable
  static func add(_ bytes: UnsafeRawBufferPointer, to sum: inout UInt64) {
    var offset = 0
    while offset &+ 8 <= bytes.count {
      sum = sum &+ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    while offset < bytes.count {
      sum = sum &+ UInt64(bytes[offset])
      offset &+= 1
    }
  }
}
