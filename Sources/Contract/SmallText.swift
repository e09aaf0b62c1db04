/// The bytes of a text that Swift stores inside its `String`, which it does for up to 15 bytes. They lie in two words,
/// the first byte lowest. The highest byte of the second word holds a mark and their number. See `SmallString.swift`
/// and `StringObject.swift` in the standard library.
///
/// Lending the bytes, as for longer texts, writes them to the stack in two halves. A read of eight bytes across both
/// halves that follows directly waits until the processor has written them to its cache. For the two texts of a record
/// this made storing it in LMDB 1.3 % slower (`scripts/lab fidelity`, lmdb import, medians of alternating runs: 1.037
/// and 1.024 of C).
@frozen
@usableFromInline
package struct SmallText {
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64
  @usableFromInline let count: Int

  /// Reads the bytes of a text of `count` bytes out of its `String`.
  ///
  /// - Returns: nil if the text is stored elsewhere, or if the mark and the number have an unexpected position.
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

  /// Writes the bytes of the text and the rest of both words. The target must have space for all of them.
  @inlinable @inline(__always)
  package func fill(_ target: UnsafeMutableRawPointer) {
    target.storeBytes(of: low, as: UInt64.self)
    target.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
  }

  /// Writes the first and the last bytes of the text, which together are all of them.
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
