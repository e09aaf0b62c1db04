import StorageContract

/// The records that contain a word, found by splitting every text into words.
final class TextModel {
  private let source: any RecordSource
  private lazy var places: [ExactText: [Int]] = {
    var places: [ExactText: [Int]] = [:]
    for place in 0..<source.count {
      for word in Set(Self.words(of: source.record(at: place).name).map { ExactText($0) }) {
        places[word, default: []].append(place)
      }
    }
    return places
  }()

  init(_ source: any RecordSource) { self.source = source }

  /// Returns the words of a text. Every ASCII character other than a letter or digit is a separator.
  static func words(of text: String) -> [String] {
    text.unicodeScalars.split { $0.isASCII && !($0.properties.isAlphabetic || ("0"..."9").contains($0)) }.map {
      String($0)
    }
  }

  /// Returns the indices of the records that contain a word, ascending.
  func places(of word: String) -> [Int] { places[ExactText(word)] ?? [] }
}
