import Foundation
@testable import check_run
import StorageContract
import StorageReport
import Testing

/// A page of the documents whose tables hold figures of committed files.
///
/// The first word of a table's header names its ``FigureSource``, the first field of a line the row, and the header of a
/// column the figure. So the header and the first column determine a table.
struct FigurePage {
  let text: String
  /// The sources by the first word of a table's header.
  let sources: [String: FigureSource]

  private let url: URL

  /// - Parameter name: The file below `docs`.
  init(_ name: String, _ sources: [String: FigureSource]) throws {
    url = packageRoot.appendingPathComponent("docs/\(name)")
    text = try String(contentsOf: url, encoding: .utf8)
    self.sources = sources
  }

  /// Expects that every figure of every table is that of its row. `RECORD_GOLDEN=1` writes them instead.
  ///
  /// - Returns: The number of figures.
  func expectFigures() throws -> Int {
    let records = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
    var lines: [String] = []
    var figures = 0
    var table: (source: FigureSource, columns: [String], first: String?)?
    for line in text.components(separatedBy: "\n") {
      let fields = Self.fields(line)
      guard line.hasPrefix("| "), let known = table else {
        lines.append(line)
        if !line.hasPrefix("|") { table = nil }
        if line.hasPrefix("| "), let source = sources[fields[0]] { table = (source, fields, nil) }
        continue
      }
      let row = Self.bare(fields[0])
      let first = known.first ?? row
      table?.first = first
      let values = try known.columns.dropFirst().map { column in
        try #require(known.source(column, row, first), "\(row) has no '\(column)'")
      }
      figures += values.count
      lines.append("| \(([fields[0]] + values).joined(separator: " | ")) |")
      for (column, (value, field)) in zip(known.columns.dropFirst(), zip(values, fields.dropFirst())) where !records {
        #expect(field == value, "\(row): \(column)")
      }
    }
    if records { try Data(lines.joined(separator: "\n").utf8).write(to: url) }
    return figures
  }

  /// Returns the fields of a line of a table.
  static func fields(_ line: some StringProtocol) -> [String] {
    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Returns a field without the marks of code.
  static func bare(_ field: String) -> String { field.filter { $0 != "`" } }
}

/// The source of the rows of a table. It returns the figure of a row as the page shows it, nil if there is no such row or
/// column. The first row of the table is the base of ratios.
typealias FigureSource = (_ column: String, _ row: String, _ first: String) -> String?

/// The cells of runs.
enum CellFigures {
  /// Returns the source of the cells of one run, or of a run on each of several file systems. Then a column names the file
  /// system: `bytes written, xfs`.
  ///
  /// - Parameter files: A summary below the root for each file system. The first is the default.
  static func source(_ files: KeyValuePairs<String, String>) throws -> FigureSource {
    let runs = try files.map { name, path in
      let read = FinishedRun.rows(try packageRoot.text(path))
      return (name, Dictionary(read.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first }))
    }
    return { column, row, first in
      let words = column.components(separatedBy: ", ")
      let run = words.count == 2 ? runs.first { $0.0 == words[1] } : runs.first
      guard let cells = run?.1, let cell = cells[row] else { return nil }
      #expect(cell.text("status") == "ok", "\(row)")
      let base = cells[first] ?? cell
      let text = text(words[0], cell, base)
      switch words[0] {
      case "one operation": return text.map { $0 + mean(of: cell) + marks(of: [cell]) }
      case "time": return text.map { $0 + marks(of: [cell, base]) }
      case "saves", "errors", "lost", "of the other": return text.map { $0 + processMark([cell]) }
      default: return text
      }
    }
  }

  /// Returns the mean of a row if it is over 10 % longer than the median.
  private static func mean(of row: FinishedRun.Row) -> String {
    guard let median = row.time, let mean = row.number("mean_ns"), mean > median * 1.1 else { return "" }
    return " (mean \(NumberFormat.time(mean)))"
  }

  /// Returns the marks of a time: `¹` if one of the rows is of a single process, and `²` if a store with a log made no
  /// checkpoint while it was timed. Words say if operations became faster or slower, or if other work disturbed them.
  private static func marks(of rows: [FinishedRun.Row]) -> String {
    func mark(_ note: String, _ text: String) -> String { rows.contains { $0.text("note").contains(note) } ? text : "" }
    return processMark(rows) + mark("no checkpoint seen", "²") + mark("gets faster", " (gets faster)")
      + mark("gets slower", " (gets slower)") + mark("disturbed", " (disturbed)")
  }

  private static func processMark(_ rows: [FinishedRun.Row]) -> String {
    rows.contains { $0.number("processes") == 1 } ? "¹" : ""
  }

  /// Returns the text of a column for a row.
  private static func text(_ column: String, _ row: FinishedRun.Row, _ first: FinishedRun.Row) -> String? {
    func count(_ name: String) -> String { row.finding(name).map { Quantity.grouped(Int($0)) } ?? "" }
    func each(_ name: String, _ text: (Double) -> String) -> String { row.perOperation(name).map(text) ?? "" }
    func bytes(_ name: String) -> String { row.number(name).map(NumberFormat.bytes) ?? "" }
    func ratio(_ value: (FinishedRun.Row) -> Double?) -> String? {
      guard let mine = value(row), let other = value(first), other > 0 else { return nil }
      return NumberFormat.ratio(mine / other)
    }
    switch column {
    case "one operation": return row.time.map(NumberFormat.time) ?? ""
    case "time": return ratio(\.time)
    case "bytes written": return each("bytes_written_settled", NumberFormat.bytes)
    case "bytes": return ratio { $0.perOperation("bytes_written_settled") }
    case "changed": return each("bytes_changed", NumberFormat.bytes)
    case "syncs": return each("syncs_settled", NumberFormat.perOperation)
    case "opens", "renames", "allocations": return each(column, NumberFormat.perOperation)
    case "statements": return each(column) { String(Int($0.rounded())) }
    case "level": return row.text(column)
    case "file": return bytes("file_bytes")
    case "on the disk": return bytes("file_bytes_allocated")
    case "memory": return bytes("peak_anon_bytes")
    case "saves", "errors": return count(column)
    case "of the other": return count("other_saves")
    case "lost": return count("lost_updates")
    case "rows decoded": return count("rows_decoded_per_save")
    case "free pages": return count("free_pages")
    case "size of the index": return row.finding("index_bytes").map(NumberFormat.bytes) ?? ""
    case "read from the disk": return row.finding("disk_bytes_per_op").map(NumberFormat.bytes) ?? ""
    case "store over memory": return row.finding("store_over_memory").map(NumberFormat.ratio) ?? ""
    default: return nil
    }
  }
}
