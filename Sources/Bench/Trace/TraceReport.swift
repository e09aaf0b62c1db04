import StorageContract
import StorageReport

/// A report of the system calls that one operation made on the store's files, as printed by the command `trace`.
struct TraceReport {
  /// The value of ``Line/file`` for a system call on the store's directory itself.
  static let directory = "./"

  var title: String
  var words: [String]
  var lines: [Line]

  var document: Document {
    guard !lines.isEmpty else { return Self.document("trace", title, words + [totals], []) }
    let table = Table(
      "",
      [.words("call"), .words("file"), .number("bytes"), .number("µs"), .words("what it is")],
      rows.map { $0.map { .init(RichText($0)) } }, footer: [RichText(totals)])
    return Self.document("trace", title, words, [table])
  }

  private static func document(_ id: String, _ title: String, _ words: [String], _ tables: [Table]) -> Document {
    var section = Section(id: id, title: "")
    section.lead = ["\(strong: title)"] + words.map { RichText($0) }
    section.tables = tables
    return Document(title: "storage-bench trace", sections: [section])
  }

  var totals: String {
    let calls = lines.filter { $0.duration != nil }
    guard !calls.isEmpty else {
      return "No call: what the operation needs is in memory, or in a mapping of the file, which is read without calls."
    }
    let (writes, reads) = (calls.filter(\.isWrite), calls.filter { !$0.isWrite && $0.bytes != nil })
    let moved = [("write", writes), ("read", reads)].filter { !$1.isEmpty }.map { name, calls in
      "\(Quantity.counted(calls.count, name)) of \(Quantity.counted(Self.bytes(calls), "byte"))"
    }
    let parts =
      [Quantity.counted(calls.count, "call")] + moved + [Quantity.counted(calls.filter(\.isSync).count, "sync")]
    return parts.joined(separator: ", ") + "; \(NumberFormat.time(Double(Self.duration(calls)))) in these calls."
  }

  private var rows: [[String]] {
    Self.repetitions(in: lines.map(\.shape)).flatMap { first, times -> [[String]] in
      let rows = lines[first].map(\.fields)
      if times == 1 { return rows }
      let rest = lines[first.upperBound..<first.lowerBound + first.count * times]
      let more = Quantity.grouped(times - 1)
      return rows + [
        [
          "...", "", rest.contains { $0.bytes != nil } ? Quantity.grouped(Self.bytes(rest)) : "",
          Self.microseconds(Self.duration(rest)),
          first.count == 1 ? "\(more) more like it" : "these \(first.count) calls \(more) more times",
        ]
      ]
    }
  }

  private static let leastRepetitions = 4
  /// The maximum length, in system calls, of a sequence that is recognized as repeated. A report shows such a sequence
  /// once.
  private static let longestPeriod = 6

  /// Divides texts into sequences, each with the indices of its first occurrence and the number of its occurrences. A
  /// sequence that occurs fewer than four times in a row is divided into single texts.
  static func repetitions(in shapes: [String]) -> [(first: Range<Int>, times: Int)] {
    var found: [(first: Range<Int>, times: Int)] = []
    var index = 0
    while index < shapes.count {
      var best = (period: 1, times: 1)
      for period in 1...longestPeriod where index + period <= shapes.count {
        // Texts of a repeated sequence are equal to those one period later.
        let equal = zip(shapes[index...], shapes[(index + period)...]).prefix { $0 == $1 }
        let times = 1 + equal.count / period
        if times >= leastRepetitions, times * period > best.times * best.period { best = (period, times) }
      }
      found.append((index..<index + best.period, best.times))
      index += best.period * best.times
    }
    return found
  }

  private static func bytes(_ lines: some Sequence<Line>) -> Int { lines.reduce(0) { $0 + ($1.bytes ?? 0) } }

  private static func duration(_ lines: some Sequence<Line>) -> Int64 { lines.reduce(0) { $0 + ($1.duration ?? 0) } }

  static func microseconds(_ nanoseconds: Int64) -> String {
    let tenths = (max(0, nanoseconds) + 50) / 100
    return "\(Quantity.grouped(Int(tenths / 10))).\(tenths % 10)"
  }

  // MARK: - Statements

  /// Returns the report of each operation's statements. Statements longer than `width` are cut.
  static func statements(title: String, words: [String], operations: [[String]], width: Int) -> Document {
    var (words, tables): ([String], [Table]) = (words, [])
    var index = 0
    while index < operations.count {
      let statements = operations[index]
      let end = operations[index...].firstIndex { $0 != statements } ?? operations.count
      let name = end - index == 1 ? "Operation \(end)" : "Operations \(index + 1) to \(end), each"
      let count = "\(name): \(Quantity.counted(statements.count, "statement"))."
      let rows = rows(statements, width: width == .max ? .max : max(20, width - 8))
      if rows.isEmpty {
        words.append("\(name): no statement in this process.")
      } else {
        tables.append(
          Table(
            "", [.number("times"), .words("statement")], rows.map { $0.map { .init(RichText($0)) } },
            footer: [RichText(count)]))
      }
      index = end
    }
    return document("statements", title, words, tables)
  }

  /// Returns the rows of one operation. Equal statements and repeated sequences are shown once.
  private static func rows(_ statements: [String], width: Int) -> [[String]] {
    var runs: [(text: String, times: Int)] = []
    for statement in statements {
      let text = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if runs.last?.text == text { runs[runs.count - 1].times += 1 } else { runs.append((text, 1)) }
    }
    return repetitions(in: runs.map { "\($0.times) \($0.text)" }).flatMap { first, times -> [[String]] in
      let rows = runs[first].map { text, times in
        [Quantity.grouped(times), text.count > width ? text.prefix(width - 3) + "..." : text]
      }
      if times == 1 { return rows }
      return rows + [["", "... these \(first.count) rows \(Quantity.grouped(times - 1)) more times"]]
    }
  }
}
