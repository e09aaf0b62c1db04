/// The bytes of a text that lies in its `String`, where Swift keeps up to 15 of them: in two words, the first byte lowest,
/// and in the highest byte of the second word a mark and their number. See `SmallString.swift` and `StringObject.swift` in
/// the standard library.
///
/// Lending them, as for longer texts, puts them on the stack in two halves. Reading eight bytes of both halves right
/// afterwards waits until the processor has written them to its cache: the two texts of a record made storing it in LMDB
/// 1.3 % slower (`scripts/lab fidelity`, lmdb import, medians in turns: 1.037 and 1.024 of C).
@frozen
@usableFromInline
package struct SmallText {
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64
  @usableFromInline let count: Int

  /// - Parameters:
  ///   - text: The text.
  ///   - count: Its length in bytes.
  /// - Returns: nil where the text lies elsewhere, or where its bytes are not where they are looked for: the mark and the
  ///   number must be.
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

  /// How many bytes `fill` writes.
  @inlinable package static var room: Int { 16 }

  /// Writes the bytes, and whatever has been left of both words: room for them must be there.
  @inlinable @inline(__always)
  package func fill(_ target: UnsafeMutableRawPointer) {
    target.storeBytes(of: low, as: UInt64.self)
    target.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
  }

  /// Writes the bytes: their first ones and their last ones, which together are all.
  @inlinable @inline(__always)
  package func copy(to target: UnsafeMutableRawPointer) {
    let bits = { (bytes: Int) in UInt64(truncatingIfNeeded: bytes &* 8) }
    if count >= 8 {
      let last = count &- 8
      target.storeBytes(of: low, as: UInt64.self)
      // Shifted twice, as 64 bits at once are none for a processor.
      target.storeBytes(
        of: (low &>> bits(last)) | ((high &<< 1) &<< (63 &- bits(last))), toByteOffset: last, as: UInt64.self)
    } else if count >= 4 {
      let last = count &- 4
      target.storeBytes(of: UInt32(truncatingIfNeeded: low), as: UInt32.self)
      target.storeBytes(of: UInt32(truncatingIfNeeded: low &>> bits(last)), toByteOffset: last, as: UInt32.self)
    } else {
      for place in 0..<count {
        target.storeBytes(of: UInt8(truncatingIfNeeded: low &>> bits(place)), toByteOffset: place, as: UInt8.self)
      }
    }
  }
}
