import StorageContract

/// Texts for the conditions of a benchmark, such as the number of threads. By default, records have 100 bytes, one
/// thread works on a new store, the cache is warm, and memory is unlimited.
extension Cell {
  /// The conditions of a benchmark that differ from the defaults, as texts such as `4 threads` and `cold`.
  var conditionWords: [String] {
    var words: [String] = []
    if recordBytes != 100 { words.append("\(Quantity.grouped(recordBytes)) bytes each") }
    if threads != 1 { words.append("\(threads) threads") }
    if cache == .cold { words.append("cold") }
    if aged != 0 { words.append("after \(Quantity.grouped(aged)) × N changes") }
    if let memory { words.append("with \(Quantity.size(memory)) of memory") }
    return words
  }

  /// The conditions of a benchmark that differ from the defaults, as marks for a narrow column, such as `×4` (4
  /// threads) and `cold`.
  var conditionMarks: [String] {
    var marks: [String] = []
    if recordBytes != 100 { marks.append("\(recordBytes)B") }
    if threads != 1 { marks.append("×\(threads)") }
    if cache == .cold { marks.append("cold") }
    if aged != 0 { marks.append("aged \(aged)") }
    if let memory { marks.append("in \(Quantity.size(memory))") }
    return marks
  }

  /// The conditions of a benchmark that differ from the defaults, as parts of a file name, such as `threads4` and
  /// `cold`.
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
