import Foundation
@testable import check_run
@testable import TestSupport
@testable import StorageReport
import StorageRunFiles
import Testing

/// The numbers of each format are those of `summary.csv`. The formats are read by code that is independent of their
/// writers. `RunCheckTests` covers the sentences, the matrix and the growth, and `GoldenTests` the text of each file.
@Suite struct AgreementTests {
  private func withRun(_ body: (URL, FinishedRun) throws -> Void) throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.withoutImage)
      try body(url, FinishedRun(url))
    }
  }

  /// Returns the value of `CELL COLUMN`, `CELL COLUMN / [CELL] COLUMN` or `CELL COLUMN / CELL COLUMN, round by round`.
  private func value(of figure: ParsedReport.Figure, in run: FinishedRun) -> Double? {
    if let pair = figure.origin.firstMatch(of: /^(\S+) \S+ \/ (?:(\S+) )?\S+, round by round$/) {
      return Pairs(run.trials[String(pair.2 ?? pair.1)], run.trials[String(pair.1)])?.ratio
    }
    // A rate is shown as a rate, or as the time of one operation.
    let isRate = figure.origin.hasSuffix("ops_per_s") && !figure.text.contains("s")
    func number(_ cell: String, _ column: String) -> Double? {
      run.rows.first { $0.cell == cell }?.number(column).map { column == "ops_per_s" && !isRate ? 1e9 / $0 : $0 }
    }
    let parts = figure.origin.components(separatedBy: " / ").map { $0.split(separator: " ").map(String.init) }
    guard parts[0].count == 2, let value = number(parts[0][0], parts[0][1]) else { return nil }
    guard parts.count == 2 else { return value }
    return number(parts[1].count == 2 ? parts[1][0] : parts[0][0], parts[1].last ?? "").map { value / $0 }
  }

  @Test func `every figure of a table of the page is that of the summary`() throws {
    try withRun { url, run in
      let figures = run.page.tables.flatMap(\.rows).joined().flatMap(\.figures)
      #expect(figures.count > 150)
      for figure in figures {
        let exact = try #require(value(of: figure, in: run), "\(figure.text) claims to be \(figure.origin)")
        let stated = try #require(Double(figure.value))
        #expect(abs(stated - exact) <= max(0.001, abs(exact) * 1e-5), "\(figure.origin) is \(exact), not \(stated)")
        #expect(
          figure.text == "<0.01" ? exact < 0.01 : Shown(figure.text)?.says(exact) == true,
          "\(figure.text) for \(exact), \(figure.origin)")
      }
    }
  }

  /// The columns that say what was measured, and those of several runs.
  private static let conditions: Set = ["schema", "records", "record_bytes", "threads", "aged", "seed"]

  @Test func `every number of the summary is on the page`() throws {
    try withRun { _, run in
      let data = try #require(FinishedRun.object(run.page.data))
      let columns = try #require(data["columns"] as? [String])
      var shown = Set(run.page.tables.flatMap(\.rows).joined().flatMap(\.figures).map(\.origin))
      for row in try #require(data["rows"] as? [[String: Any]]) {
        let fields = try #require(row["exact"] as? String).split(separator: ",", omittingEmptySubsequences: false)
        for (column, value) in zip(columns, fields) where !value.isEmpty {
          shown.insert("\(row["cell"] ?? "") \(column)")
        }
      }
      var numbers = 0
      for row in run.rows {
        for column in SummaryColumn.all.map(\.name) where !Self.conditions.contains(column) {
          guard row.number(column) != nil else { continue }
          numbers += 1
          #expect(shown.contains("\(row.cell) \(column)"), "\(row.cell) \(column)")
        }
      }
      #expect(numbers > 300)
    }
  }

  @Test func `measured fields have no number without its origin, and no field is blank`() throws {
    let measured: Set = [
      "p50", "mean", "p90", "p99", "p99.9", "max", "bytes per save", "anonymous", "file-backed",
    ]
    try withRun { url, run in
      var checked = 0
      for table in run.page.tables {
        let isMatrix = table.columns.first == "workload" && !table.columns.contains("why")
        for row in table.rows {
          let isBlank = row.map { field in field.text.allSatisfy { $0.isWhitespace } }
          #expect(isBlank == Array(repeating: false, count: table.columns.count))
          for (column, field) in zip(table.columns, row).dropFirst() where isMatrix || measured.contains(column) {
            let rest = field.rest.replacing("×1", with: "").replacing("predicted 41 s", with: "")
            #expect(rest.filter(\.isNumber) == "", "\(column): \(field.text)")
            checked += 1
          }
        }
      }
      #expect(checked > 150)
    }
  }

  @Test func `the Markdown page has the tables of the HTML page, field by field`() throws {
    try withRun { url, run in
      var tables: [[[String]]] = []
      var isTable = false
      for line in try url.text("report.md").split(separator: "\n", omittingEmptySubsequences: false) {
        defer { isTable = line.hasPrefix("|") }
        guard line.hasPrefix("| "), !line.hasPrefix("| --- ") else { continue }
        if !isTable { tables.append([]) }
        let fields = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        tables[tables.count - 1].append(fields.map(FormatsCheck.plain))
      }
      #expect(tables == run.page.tables.map { [$0.columns] + $0.rows.map { $0.map { FormatsCheck.plain($0.text) } } })
    }
  }

  @Test func `JSON and Bencher have every field of the summary`() throws {
    try withRun { url, run in
      let cells = try #require(run.json["cells"] as? [[String: Any]])
      #expect(cells.map { $0["cell"] as? String } == run.rows.map(\.cell))
      for (cell, row) in zip(cells, run.rows) {
        for (column, text) in row.fields {
          switch cell[column] {
          case let value as String: #expect(value == text)
          case let value as NSNumber: #expect(Double(text) == value.doubleValue, "\(row.cell) \(column)")
          default: #expect(text.isEmpty, "\(row.cell) \(column)")
          }
        }
      }
      typealias Benchmarks = [String: [String: [String: Double]]]
      let benchmarks = try JSONDecoder().decode(Benchmarks.self, from: Data(url.text("bencher.json").utf8))
      let ok = run.rows.filter { $0.text("status") == "ok" }
      #expect(Set(benchmarks.keys) == Set(ok.map(\.cell)))
      for row in ok {
        let (latency, time) = (try #require(benchmarks[row.cell]?["latency"]), try #require(row.time))
        #expect(latency["value"].map { abs($0 - time) < 0.01 * time } == true, "\(row.cell)")
        #expect(latency["lower_value"].map(NumberFormat.plain) ?? "" == row.text("p50_low_ns"), "\(row.cell)")
      }
    }
  }

  @Test func `annotations are one line each`() throws {
    let cell = SampleRun.plan.cells[0].cell
    let trial = Trial(
      cell: cell, pass: .timed, round: 1, started: 0, wall: 1, status: .failed, note: "50 % of, it:\nwrong")
    let model = try SampleRun.model(plan: Plan(of: [cell]), trials: [trial])
    let text = try ReportFormat.githubAnnotations.text(RunReport(model))
    #expect(
      text == """
        ::error title=storage-bench%3A FAILED::plist/save-one/100/shipped: 50 %25 of, it:%0Awrong
        ::warning title=storage-bench::The load was 1.5 when the run began.

        """)
  }
}
