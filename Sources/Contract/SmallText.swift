/// The bytes of a text of up to 15 bytes, read directly from the two 64-bit words of its `String`. The layout is
/// described in `SmallString.swift` and `StringObject.swift` of the standard library.
///
/// Passing the bytes to a closure instead made storing a record in LMDB 1.3 % slower.
@frozen
@usableFromInline
package struct SmallText {
  // A closure gets the bytes in two halves on the stack. If eight bytes across both halves are read directly
  // afterwards, the read waits until the processor has written the halves to its cache. Source for the 1.3 %:
  // `scripts/lab fidelity`, lmdb import, medians of alternating runs: 1.037 and 1.024 of C.
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64
  @usableFromInline let count: Int

  /// Reads the bytes of a short text directly from the two 64-bit memory words of its `String`. Nil if the text does
  /// not have `count` bytes or if its bytes are stored elsewhere, and on platforms other than 64-bit Linux.
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

  /// Writes the bytes of a short text to memory, followed by unused bytes. The target must have space for 16 bytes,
  /// which are always written.
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
