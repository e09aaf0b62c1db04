import StorageContract
import Testing

/// Swift does not document where it stores short texts. These tests detect a change.
@Suite struct SmallTextTests {
  /// Texts of all lengths up to 24 bytes, of ASCII and of other scripts.
  private static let texts = (0...24).flatMap(texts)

  static func texts(_ count: Int) -> [String] {
    let odd = String(repeating: "z", count: count % 2)
    return [
      String("abcdefghijklmnopqrstuvwx".prefix(count)), String(repeating: "\0", count: count),
      String(repeating: "\u{FF}", count: count / 2), odd + String(repeating: "ü", count: count / 2),
      String("日本語日本語日本".prefix(count / 3)),
    ]
  }

  /// Returns the first `count` bytes of `size` bytes that a closure writes. Bytes around them must not change.
  private func bytes(_ count: Int, of size: Int, _ write: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
    var room = [UInt8](repeating: 0xA5, count: size + 2)
    room.withUnsafeMutableBytes { write($0.baseAddress! + 1) }
    #expect(room.first == 0xA5 && room.last == 0xA5)
    return Array(room.dropFirst().prefix(count))
  }

  @Test func shortTextsAreFoundInTheirStrings() throws {
    for text in Self.texts {
      let count = text.utf8.count
      let small = SmallText(text, count: count)
      #expect((small != nil) == (count <= 15), "\(text)")
      guard let small else { continue }
      #expect(bytes(count, of: count, small.copy) == Array(text.utf8), "\(text)")
      #expect(bytes(count, of: SmallText.room, small.fill) == Array(text.utf8), "\(text)")
    }
  }

  /// A short text may be stored elsewhere, and then must not be read from the inline storage.
  @Test func shortTextsThatLieElsewhereAreLeftAlone() {
    for count in 0...15 {
      var text = String(repeating: "x", count: 40)
      text.reserveCapacity(100)
      text.removeLast(40 - count)
      if let small = SmallText(text, count: count) {
        #expect(bytes(count, of: count, small.copy) == Array(text.utf8))
      }
      // A text must not be read with another length.
      #expect(SmallText(String(repeating: "y", count: count), count: count + 1) == nil)
    }
  }
}
