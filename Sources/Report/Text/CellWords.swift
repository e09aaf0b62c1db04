import StorageContract

extension Durability {
  /// The requested durability as text: `as shipped` for default settings, otherwise its name, such as `durable`.
  var words: String { self == .shipped ? "as shipped" : rawValue }

  /// The text after a backend's name: empty for default settings, otherwise the durability, such as ` (durable)`.
  var suffix: String { self == .shipped ? "" : " (\(rawValue))" }
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
    if let size = memory.map(Quantity.size) {
      found.append(("with \(size) of memory", "in \(size)", "memory\(size)"))
    }
    return found
  }
}
