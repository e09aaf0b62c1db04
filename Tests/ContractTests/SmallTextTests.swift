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

  private func bytes(_ text: SmallText, _ count: Int) -> [UInt8] {
    // Bytes around the text must not change.
    var room = [UInt8](repeating: 0xA5, count: count + 2)
    room.withUnsafeMutableBytes { text.copy(to: $0.baseAddress! + 1) }
    #expect(room.first == 0xA5 && room.last == 0xA5)
    return Array(room[1...count + 1].dropLast())
  }

  private func filled(_ text: SmallText, _ count: Int) -> [UInt8] {
    var room = [UInt8](repeating: 0xA5, count: SmallText.room + 2)
    room.withUnsafeMutableBytes { text.fill($0.baseAddress! + 1) }
    #expect(room.first == 0xA5 && room.last == 0xA5)
    return Array(room[1..<count + 1])
  }

  @Test func shortTextsAreFoundInTheirStrings() throws {
    for text in Self.texts {
      let count = text.utf8.count
      let small = SmallText(text, count: count)
      #expect((small != nil) == (count <= 15), "\(text)")
      guard let small else { continue }
      #expect(bytes(small, count) == Array(text.utf8), "\(text)")
      #expect(filled(small, count) == Array(text.utf8), "\(text)")
    }
  }

  /// A short text may be stored elsewhere, and then must not be read from the inline storage.
  @Test func shortTextsThatLieElsewhereAreLeftAlone() {
    for count in 0...15 {
      var text = String(repeating: "x", count: 40)
      text.reserveCapacity(100)
      text.removeLast(40 - count)
      if let small = SmallText(text, count: count) { #expect(bytes(small, count) == Array(text.utf8)) }
      // A text must not be read with another length.
      #expect(SmallText(String(repeating: "y", count: count), count: count + 1) == nil)
    }
  }
}
