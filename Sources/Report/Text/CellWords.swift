import StorageContract

/// Texts for the conditions of a benchmark cell (one backend doing one workload at one size), such as the number of
/// threads.
extension Cell {
  /// The conditions that differ from the defaults (100 bytes, 1 thread, warm cache, new store, all memory), as text: `4
  /// threads`, `cold`.
  var conditionWords: [String] {
    var words: [String] = []
    if recordBytes != 100 { words.append("\(Quantity.grouped(recordBytes)) bytes each") }
    if threads != 1 { words.append("\(threads) threads") }
    if cache == .cold { words.append("cold") }
    if aged != 0 { words.append("after \(Quantity.grouped(aged)) × N changes") }
    if let memory { words.append("with \(Quantity.size(memory)) of memory") }
    return words
  }

  /// The conditions that differ from the defaults (such as 1 thread), as marks for a narrow column: `×4`, `cold`,
  /// `aged 10`.
  var conditionMarks: [String] {
    var marks: [String] = []
    if recordBytes != 100 { marks.append("\(recordBytes)B") }
    if threads != 1 { marks.append("×\(threads)") }
    if cache == .cold { marks.append("cold") }
    if aged != 0 { marks.append("aged \(aged)") }
    if let memory { marks.append("in \(Quantity.size(memory))") }
    return marks
  }

  /// The conditions that differ from the defaults (such as 1 thread), as parts of a file name: `threads4`, `cold`,
  /// `aged10`.
  var conditionSlugs: [String] {
    var slugs: [String] = []
    if recordBytes != 100 { slugs.append("bytes\(recordBytes)") }
    if threads != 1 { slugs.append("threads\(threads)") }
    if cache == .cold { slugs.append("cold") }
    if aged != 0 { slugs.append("aged\(aged)") }
    if let memory { slugs.append("memory\(Quantity.size(memory))") }
    return slugs
  }
}
