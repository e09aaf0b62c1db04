import Foundation

/// The capability to find the records whose text, ``Record/name``, contains a word.
public protocol TextSearching {
  /// Returns whether the engine, with the given options, can find words without reading every text.
  static func indexesWords(_ options: Options) -> Bool

  /// Creates a word index of a collection's texts, updated with every commit. A second call does nothing.
  ///
  /// - Throws: ``StoreError``, also if ``indexesWords(_:)`` is false.
  func indexWords(in collection: CollectionID) throws

  /// Returns the records whose text contains the word, in key order. The result is the same with and without an index.
  ///
  /// - Throws: ``StoreError``.
  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record]
}

/// A word to search for in texts: `sun` is in `sun, moon`, but not in `sunny`. UTF-8 bytes are compared, so case
/// matters. The empty word is in no text.
public struct TextWord: Hashable, Sendable {
  /// The characters of a word to search for in the texts of records, such as `summer`.
  public let text: String

  /// Creates a word to search for in texts.
  public init(_ text: String) { self.text = text }

  /// Returns whether a text, given as UTF-8 bytes, contains the word as a whole word. ASCII letters, digits and all
  /// non-ASCII characters are parts of words.
  public func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
    self.text.withLentUTF8 { word in
      guard let start = text.baseAddress, let wanted = word.baseAddress, !word.isEmpty else { return false }
      var from = 0
      while from + word.count <= text.count,
        let found = memchr(start + from, Int32(word[0]), text.count - from - word.count + 1)
      {
        let offset = UnsafeRawPointer(found) - start
        let end = offset + word.count
        if memcmp(found, wanted, word.count) == 0, offset == 0 || Self.isBetweenWords(text[offset - 1]),
          end == text.count || Self.isBetweenWords(text[end])
        {
          return true
        }
        from = offset + 1
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

  /// Whether the word has only letters and digits of Unicode 6.1, which full-text indexes such as SQLite's `unicode61`
  /// know.
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
