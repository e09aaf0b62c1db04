import Foundation

/// The capability to find records by a word in their text, which is ``Record/name``.
///
/// Without it every text is read and searched by the app.
public protocol TextSearching {
  /// Whether the engine can find words without looking at every text.
  static var indexesWords: Bool { get }

  /// Sees to it that the engine does so, from now on and after reopening, and keeps its index in step with every commit.
  /// A second call does nothing.
  ///
  /// - Throws: ``StoreError``, also where ``indexesWords`` says that it cannot.
  func indexWords(in collection: CollectionID) throws

  /// The records whose text holds a word, by ``TextWord``'s definition, in key order; with or without the index.
  ///
  /// - Throws: ``StoreError``.
  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record]
}

/// A word, and the one definition of what it is for a text to hold it, so that every engine finds the same records: the
/// word's UTF-8 bytes stand in the text, and on either side of them is the text's end or an ASCII character that is
/// neither letter nor digit.
///
/// So a word inside of a longer one does not count, upper and lower case are apart, and so are letters with and without
/// marks, also where they are composed differently. Nothing holds the empty word.
public struct TextWord: Hashable, Sendable {
  /// The word.
  public let text: String

  /// Takes a word. It may have any characters.
  public init(_ text: String) { self.text = text }

  /// Whether a text holds it.
  public func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
    var word = self.text
    return word.withUTF8 { word in
      guard let start = text.baseAddress, let wanted = word.baseAddress, !word.isEmpty else { return false }
      var from = 0
      // By the first byte: each place where the word may begin is compared.
      while from + word.count <= text.count,
        let found = memchr(start + from, Int32(word[0]), text.count - from - word.count + 1)
      {
        let place = UnsafeRawPointer(found) - start
        let end = place + word.count
        if memcmp(found, wanted, word.count) == 0, place == 0 || Self.isBetweenWords(text[place - 1]),
          end == text.count || Self.isBetweenWords(text[end])
        {
          return true
        }
        from = place + 1
      }
      return false
    }
  }

  private static func isBetweenWords(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: false
    default: true
    }
  }

  /// Whether it is made of letters and digits alone that Unicode has had since version 6.1: what a tokenizer of that
  /// time, as SQLite's, takes for one word wherever it is one by the definition above.
  public var isPlain: Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        guard let age = scalar.properties.age, (age.major, age.minor) <= (6, 1) else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
          .letterNumber, .otherNumber:
          return true
        default: return false
        }
      }
  }
}
