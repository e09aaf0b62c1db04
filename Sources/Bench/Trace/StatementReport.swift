import StorageContract
import StorageReport

/// A report of the SQL statements that a workload's operations ran, for `trace --sql`.
enum StatementReport {
  /// Returns the report of SQL statements, with lines of at most `width` characters. Longer statements are cut.
  ///
  /// - Parameters:
  ///   - title: The workload, backend, number of records and safety level.
  ///   - words: The sentences at the top, such as on the engine's version.
  ///   - operations: The SQL statements of each operation, in the order of execution.
  static func document(title: String, words: [String], operations: [[String]], width: Int) -> Document {
    var section = Section(id: "statements", title: "")
    section.lead = ["\(strong: title)"] + words.map { RichText($0) }
    var index = 0
    while index < operations.count {
      let statements = operations[index]
      let end = operations[index...].firstIndex { $0 != statements } ?? operations.count
      let name = end - index == 1 ? "Operation \(end)" : "Operations \(index + 1) to \(end), each"
      let count = "\(name): \(Quantity.counted(statements.count, "statement"))."
      let rows = rows(statements, width: width == .max ? .max : max(20, width - 8))
      if rows.isEmpty {
        section.lead.append(RichText("\(name): no statement in this process."))
      } else {
        section.tables.append(
          Table(
            "", [.number("times"), .words("statement")], rows.map { $0.map { .init(RichText($0)) } },
            footer: [RichText(count)]))
      }
      index = end
    }
    return Document(title: "storage-bench trace", sections: [section])
  }

  /// Returns the table rows of one operation's SQL statements. Successive equal statements share a row. A sequence that
  /// repeats four times or more is shown once.
  private static func rows(_ statements: [String], width: Int) -> [[String]] {
    var runs: [(text: String, times: Int)] = []
    for statement in statements {
      let text = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if runs.last?.text == text { runs[runs.count - 1].times += 1 } else { runs.append((text, 1)) }
    }
    let shapes = runs.map { "\($0.times) \($0.text)" }
    var rows: [[String]] = []
    var index = 0
    while index < runs.count {
      let (period, times) = TraceReport.repetition(in: shapes, at: index)
      rows += runs[index..<index + period].map { text, times in
        [Quantity.grouped(times), text.count > width ? text.prefix(width - 3) + "..." : text]
      }
      if times > 1 { rows.append(["", "... these \(period) rows \(Quantity.grouped(times - 1)) more times"]) }
      index += period * times
    }
    return rows
  }
}
