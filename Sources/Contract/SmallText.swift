/// A text of up to 15 bytes that Swift stores within the 16 bytes of a `String`: see `SmallString.swift` and
/// `StringObject.swift` of Swift.
@frozen
@usableFromInline
package struct SmallText {
  // A closure would get the bytes through the stack, where the processor stalls. Saving in LMDB would take 1.3 % longer
  // (see `scripts/lab fidelity`).
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64
  @usableFromInline let count: Int

  /// Reads a text of `count` bytes that a `String` stores in its own 16 bytes. Nil for another length, a text stored
  /// elsewhere, or a system other than 64-bit Linux.
  @inlinable @inline(__always)
  package init?(_ text: String, count: Int) {
    #if os(Linux) && _pointerBitWidth(_64) && _endian(little)
      (low, high) = unsafeBitCast(text, to: (UInt64, UInt64).self)
      self.count = count
      guard (high &>> 56) & 0x2F == 0x20 | UInt64(truncatingIfNeeded: count) else { return nil }
    #else
      return nil
    #endif
  }

  @inlinable package static var room: Int { 16 }

  /// Writes 16 bytes to the target: the bytes of the text, then bytes without meaning.
  @inlinable @inline(__always)
  package func fill(_ target: UnsafeMutableRawPointer) {
    target.storeBytes(of: low, as: UInt64.self)
    target.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
  }

  @inlinable @inline(__always)
  package func copy(to target: UnsafeMutableRawPointer) {
    let bits = { (bytes: Int) in UInt64(truncatingIfNeeded: bytes &* 8) }
    if count >= 8 {
      let last = count &- 8
      target.storeBytes(of: low, as: UInt64.self)
      // Shifted twice, because a processor treats a shift by 64 as a shift by 0.
      target.storeBytes(
        of: (low &>> bits(last)) | ((high &<< 1) &<< (63 &- bits(last))), toByteOffset: last, as: UInt64.self)
    } else if count >= 4 {
      let last = count &- 4
      target.storeBytes(of: UInt32(truncatingIfNeeded: low), as: UInt32.self)
      target.storeBytes(of: UInt32(truncatingIfNeeded: low &>> bits(last)), toByteOffset: last, as: UInt32.self)
    } else {
      for index in 0..<count {
        target.storeBytes(of: UInt8(truncatingIfNeeded: low &>> bits(index)), toByteOffset: index, as: UInt8.self)
      }
    }
  }
}
