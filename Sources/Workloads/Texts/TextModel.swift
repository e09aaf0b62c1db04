import StorageContract

/// Which records hold a word, found another way than by looking for it: each text is cut into its words.
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

  /// The words of a text: what lies between its ends and ASCII characters that are neither letters nor digits.
  static func words(of text: String) -> [String] {
    text.unicodeScalars.split { $0.isASCII && !($0.properties.isAlphabetic || ("0"..."9").contains($0)) }.map {
      String($0)
    }
  }

  /// The places of the records that hold a word, ascending.
  func places(of word: String) -> [Int] { places[ExactText(word)] ?? [] }
}
