/// The position at which a fault begins in a series of saves: the opening of the store, a save, or the closing.
enum SavePosition: Codable, Hashable, Comparable, CustomStringConvertible {
  case opening
  case save(Int)
  /// After the last save: an optional operation such as a compaction, then `settle()` and the closing.
  case closing

  init?(_ text: some StringProtocol) {
    switch text {
    case "open": self = .opening
    case "close": self = .closing
    default:
      guard let number = Int(text), number > 0 else { return nil }
      self = .save(number)
    }
  }

  private var texts: (description: String, phrase: String, sentence: String) {
    switch self {
    case .opening: ("open", "opening", "when the store was opened")
    case .save(let number): ("\(number)", "save \(number)", "in save \(number)")
    case .closing: ("close", "closing", "when the store was closed")
    }
  }

  var description: String { texts.description }
  /// The name of this position in a series of saves: `opening`, `closing`, or the name of a save such as `save 3`.
  var phrase: String { texts.phrase }
  /// The end of a sentence about an error at this position, such as `in save 3` or `when the store was opened`.
  var sentence: String { texts.sentence }
}
