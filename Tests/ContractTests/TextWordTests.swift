import Testing

@testable import StorageContract

@Suite struct TextWordTests {
  private func holds(_ text: String, _ word: String) -> Bool {
    var text = text
    return text.withUTF8 { TextWord(word).isIn(UnsafeRawBufferPointer($0)) }
  }

  @Test func aWordIsDelimitedByEndsOrOtherASCII() {
    for text in [
      "word", "word a", "a word", "(word)", "a-word.", "wordy word", "a\nword\tb", "x\0word\0", "words,word", "_word_",
    ] {
      #expect(holds(text, "word"), "\(text)")
    }
    for text in [
      "", "wor", "words", "sword", "Word", "wórd", "word1", "éword", "wordé", "word\u{301}", "w ord", "word🌿",
    ] {
      #expect(!holds(text, "word"), "\(text)")
    }
    #expect(
      holds("a résumé b", "résumé") && !holds("a re\u{301}sume\u{301} b", "résumé") && !holds("a resume b", "résumé"))
    #expect(holds("語 17", "語") && !holds("語17", "語") && holds("🌿", "🌿") && !holds("🌿🌿", "🌿"))
    #expect(holds("a b c", "b c") && holds("nul \0 here", "\0") && !holds("anything", "") && !holds("", ""))
    #expect(holds(String(repeating: "wor ", count: 100_000) + "word", "word"))
    #expect(!holds(String(repeating: "wor", count: 100_000), "word"))
  }

  /// Only these words may be passed to a tokenizer that is older than today's Unicode.
  @Test func plainWordsAreLettersAndDigits() {
    for word in ["word", "слово17", "語", "Résumé", "تاريخ", "42", "ⅷ"] { #expect(TextWord(word).isPlain, "\(word)") }
    // Marks and emoji are neither letters nor digits. Osage was added in Unicode 9.
    for word in ["", "a b", "re\u{301}sume", "तारीख", "🌿", "a\0", "\"", "𐒰"] {
      #expect(!TextWord(word).isPlain, "\(word)")
    }
  }
}
