import StorageContract

/// A generator of texts from a key and a version, such as `the store σελίδα 記録 wort17`, in several scripts.
struct GeneratedTexts {
  /// The number of different rare words in the texts of a store. Each rare word is in about five texts.
  let rareWords: Int
  private let length: Int
  private let seed: UInt64 = 0x7e_c5

  static let rarePerText = 3

  init(records: Int, length: Int) {
    rareWords = max(1, records * Self.rarePerText / 5)
    self.length = length
  }

  static func records(of base: any RecordSource, length: Int) -> some RecordSource {
    let texts = GeneratedTexts(records: base.count, length: length)
    return MappedRecords(base: base) { $0.name = texts.text(of: $0.id, version: 0) }
  }

  /// Common words, some of which differ only in case or diacritics. An engine must treat all words as different.
  private static let common = [
    "the", "store", "keeps", "one", "record", "and", "another", "page", "of", "words", "until", "somebody", "asks",
    "for", "it", "again", "Résumé", "resume", "re\u{301}sume\u{301}", "Straße", "strasse", "σελίδα", "ΣΕΛΙΔΑ",
    "запись", "ЗАПИСЬ", "記録", "記", "तारीख", "تاريخ", "기록", "🌿", "🌿🌿", "naïve", "42", "4",
  ]
  private static let stems = ["word", "wort", "слово", "λέξη", "語", "단어", "mot", "Wort"]
  private static let ends = [" ", " ", " ", " ", ", ", ". ", "\n", "-", " (", ") "]

  static func rareWord(_ number: Int) -> String { "\(stems[number % stems.count])\(number / stems.count)" }

  /// Returns the numbers of the three rare words in a version of a record's text. A number may occur twice.
  func rareWords(of key: Int64, version: Int) -> [Int] {
    var random = stream(key, version)
    return (0..<Self.rarePerText).map { _ in random.below(rareWords) }
  }

  private func stream(_ key: Int64, _ version: Int) -> RandomStream {
    RandomStream(seed: seed &+ UInt64(version), .record, Int(truncatingIfNeeded: key))
  }

  /// Returns a version of a record's text. Version 0 is the initial text. All versions differ.
  func text(of key: Int64, version: Int) -> String {
    var random = stream(key, version)
    var rare = (0..<Self.rarePerText).map { _ in Self.rareWord(random.below(rareWords)) }
    // A search for words must not find a rare word inside a longer word.
    let hidden = Self.rareWord(random.below(rareWords))
    rare.append(random.below(2) == 0 ? "\(hidden)a" : "é\(hidden)")
    // Rare words also occur at the beginning and the end of texts.
    var text = random.below(8) == 0 ? rare.removeLast() + " " : ""
    let last = random.below(8) == 0 ? rare.popLast() : nil
    let gap = length / (rare.count + 1)
    var next = random.below(gap + 1)
    while text.utf8.count < length {
      if text.utf8.count >= next, let word = rare.popLast() {
        text += word
        next += gap
      } else {
        text += Self.common[random.below(Self.common.count)]
      }
      text += Self.ends[random.below(Self.ends.count)]
    }
    for word in rare { text += word + " " }
    return text + (last ?? "")
  }

  /// Returns a part of the word "somebody", such as "omebod". A search for whole words must find nothing.
  static func wordInside(_ number: Int) -> String { "omebod\(number % 2 == 0 ? "" : "y")" }

  static func absentWord(_ number: Int) -> String { "\(stems[number % stems.count])x\(number)" }
}
