import StorageContract

extension Durability {
  /// The requested durability as text: `as shipped` for default settings, otherwise its name, such as `durable`.
  var words: String { self == .shipped ? "as shipped" : rawValue }

  /// The text after a backend's name: empty for default settings, otherwise the durability, such as ` (durable)`.
  var suffix: String { self == .shipped ? "" : " (\(rawValue))" }
}

extension Level {
  /// The text about a power cut for a store that may keep saves only in memory.
  static let unwritten = "unwritten saves are lost"

  /// The words for a safety level: what can be lost, what a crash of the app does to saves, the symbol of a table, and
  /// the aim at the start of a recommendation.
  var words: (loss: String, afterCrash: String, symbol: String, aim: String) {
    switch self {
    case .durable: ("nothing, even in a power cut", "nothing lost", "\u{25CF}", "To lose nothing in a power cut")
    case .intact: ("the last saves, in a power cut", "nothing lost", "\u{25D0}", "For data that survives a power cut")
    case .crash: ("everything, in a power cut", "nothing lost", "\u{25CB}", "For data that survives a crash of the app")
    case .fragile:
      ("everything, in a crash", "! what was saved before can go", "\u{25CB}", "For data that may be lost")
    case .volatile: ("everything, in a crash", Self.unwritten, "\u{25CB}", "For data that may be lost")
    }
  }
}

extension Cell {
  /// The conditions of a benchmark that differ from the defaults, as texts such as `4 threads` and `cold`.
  var conditionWords: [String] { unusual.map(\.words) }

  /// The conditions of a benchmark that differ from the defaults, as short marks: `×4` (4 threads) and `cold`.
  var conditionMarks: [String] { unusual.map(\.mark) }

  /// Returns the file name of a chart without extension, ending with `what`: `save-one-durable-threads4-cold-time`.
  ///
  /// - Parameter reads: The text that replaces the durability in the file name for a read-only workload.
  func chartID(_ what: String, ofReads reads: String? = nil) -> String {
    let parts = ["\(workload)", durability?.rawValue ?? reads].compactMap { $0 } + unusual.map(\.slug) + [what]
    return String(
      parts.joined(separator: "-").map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
  }

  private var unusual: [(words: String, mark: String, slug: String)] {
    var found: [(words: String, mark: String, slug: String)] = []
    if recordBytes != 100 {
      found.append(("\(Quantity.grouped(recordBytes)) bytes each", "\(recordBytes)B", "bytes\(recordBytes)"))
    }
    if threads != 1 { found.append(("\(threads) threads", "×\(threads)", "threads\(threads)")) }
    if cache == .cold { found.append(("cold", "cold", "cold")) }
    if aged != 0 { found.append(("after \(Quantity.grouped(aged)) × N changes", "aged \(aged)", "aged\(aged)")) }
    if let size = memory.map(Quantity.size) { found.append(("with \(size) of memory", "in \(size)", "memory\(size)")) }
    return found
  }
}
