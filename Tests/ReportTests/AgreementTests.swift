import Foundation
import FoundationXML
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Every number that people or programs are shown is the one in `summary.csv`: each format is read back and compared
/// with the file, by code that knows nothing of how it was written.
@Suite struct AgreementTests {
  /// `summary.csv` by cell and column, as texts.
  private struct Summary {
    var rows: [String: [String: String]] = [:]
    /// `trials.csv`: by cell and round, the timed trials' figures.
    var rounds: [String: [String: [String: Double]]] = [:]

    init(_ url: URL) throws {
      let trials = try #require(
        CSVText.parse(
          String(
            decoding: Data(contentsOf: url.deletingLastPathComponent().appendingPathComponent("trials.csv")),
            as: UTF8.self)))
      let names = try #require(trials.first).fields
      for line in trials.dropFirst() {
        let fields = Dictionary(uniqueKeysWithValues: zip(names, line.fields))
        guard fields["pass"] == "timed" else { continue }
        let backend = fields["backend"]! + (fields["options"]!.isEmpty ? "" : ":" + fields["options"]!)
        let durability = fields["durability"]!.isEmpty ? "-" : fields["durability"]!
        let cell = "\(backend)/\(fields["workload"]!)/\(fields["records"]!)/\(durability)"
        rounds[cell, default: [:]][fields["round"]!, default: [:]][fields["metric"]!] = Double(fields["value"]!)
      }
      let lines = try #require(CSVText.parse(String(decoding: Data(contentsOf: url), as: UTF8.self)))
      let columns = try #require(lines.first).fields
      for line in lines.dropFirst() {
        let row = Dictionary(uniqueKeysWithValues: zip(columns, line.fields))
        let backend = row["backend"]! + (row["options"]!.isEmpty ? "" : ":" + row["options"]!)
        let durability = row["durability"]!.isEmpty ? "-" : row["durability"]!
        rows["\(backend)/\(row["workload"]!)/\(row["records"]!)/\(durability)"] = row
      }
    }

    /// A field as a number: nanoseconds of an operation where it is a rate.
    func number(_ cell: String, _ column: String) -> Double? { rows[cell]?[column].flatMap(Double.init) }

    /// The median over the rounds of two cells of the ratio of the same figure: each process's p50, or its mean where
    /// only one of the two was timed in batches.
    private func byRound(_ one: String, _ other: String) -> Double? {
      let (left, right) = (rounds[one] ?? [:], rounds[other] ?? [:])
      let pairs = left.compactMap { round, figures in right[round].map { (figures, $0) } }
      let isMixed = pairs.contains { ($0["batch"] == nil) != ($1["batch"] == nil) }
      let ratios = pairs.compactMap { one, other -> Double? in
        func time(_ figures: [String: Double]) -> Double? {
          guard isMixed else { return figures["p50"] }
          guard let elapsed = figures["elapsed"], let operations = figures["operations"] else { return nil }
          return elapsed / operations
        }
        guard let left = time(one), let right = time(other) else { return nil }
        return left / right
      }.sorted()
      guard ratios.count >= 6 else { return nil }
      // The median on a logarithmic scale, as ratios are.
      let middle = ratios.count / 2
      return ratios.count.isMultiple(of: 2) ? (ratios[middle - 1] * ratios[middle]).squareRoot() : ratios[middle]
    }

    /// What `CELL COLUMN`, `CELL COLUMN / [CELL] COLUMN` or `CELL COLUMN / CELL COLUMN, round by round` amounts to.
    func value(_ origin: String, isRate: Bool) -> Double? {
      if let pair = origin.firstMatch(of: /^(\S+) \S+ \/ (?:(\S+) )?\S+, round by round$/) {
        return byRound(String(pair.output.1), String(pair.output.2 ?? pair.output.1))
      }
      let parts = origin.components(separatedBy: " / ")
      let first = parts[0].split(separator: " ").map(String.init)
      guard first.count == 2 else { return nil }
      func time(_ cell: String, _ column: String) -> Double? {
        number(cell, column).map { column == "ops_per_s" && !isRate ? 1e9 / $0 : $0 }
      }
      guard let value = time(first[0], first[1]) else { return nil }
      guard parts.count == 2 else { return value }
      let second = parts[1].split(separator: " ").map(String.init)
      return time(second.count == 2 ? second[0] : first[0], second.last ?? "").map { value / $0 }
    }
  }

  /// The number that a text shows, and by how much it may differ for being rounded: half of its last digit. Numbers
  /// with commas are rounded to two digits.
  private static func shown(_ text: String) -> (value: Double, slack: Double)? {
    let units: [String: Double] = [
      "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    ]
    let parts = text.split(separator: " ").map(String.init)
    guard var digits = parts.first else { return nil }
    var unit = parts.count > 1 ? units[parts[1]] : 1
    for (suffix, factor) in [("x", 1.0), ("M", 1e6), ("G", 1e9)] where digits.hasSuffix(suffix) {
      digits.removeLast()
      unit = factor
    }
    if digits == "<0.01" { return (0.005, 0.005) }
    let plain = digits.replacing(",", with: "")
    guard let number = Double(plain), let unit else { return nil }
    let decimals = plain.split(separator: ".").dropFirst().first.map(\.count) ?? 0
    let rounded = digits.contains(",") ? pow(10, floor(log10(number)) - 1) : pow(10, -Double(decimals))
    return (number * unit, rounded * unit * 0.5001)
  }

  private func text(_ url: URL, _ name: String) throws -> String {
    try String(decoding: Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
  }

  private func withFiles(_ body: (URL, Summary) throws -> Void) throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.all)
      try body(url, Summary(url.appendingPathComponent("summary.csv")))
    }
  }

  @Test func `rounded texts are read back`() {
    for (number, text) in [(626_392.0, "626 us"), (2_765_178, "2.8 ms"), (31, "31 ns"), (999_700, "1.0 ms")] {
      #expect(NumberFormat.time(number) == text)
      let read = Self.shown(text)
      #expect(read.map { abs($0.value - number) <= $0.slack } == true, "\(text)")
    }
    #expect(Self.shown("1,800x").map { $0.value == 1800 && $0.slack > 49 && $0.slack < 51 } == true)
    #expect(Self.shown("half") == nil)
  }

  @Test func `every figure of the page is that of the summary`() throws {
    try withFiles { url, summary in
      let page = ParsedPage(html: try text(url, "report.html"))
      #expect(page.problems.isEmpty)
      #expect(page.figures.count > 150)
      for figure in page.figures {
        let isRate = figure.origin.hasSuffix("ops_per_s") && !figure.text.contains("s")
        guard let exact = summary.value(figure.origin, isRate: isRate) else {
          Issue.record("\(figure.text) claims to be \(figure.origin)")
          continue
        }
        let stated = try #require(Double(figure.value))
        #expect(abs(stated - exact) <= max(0.001, abs(exact) * 1e-5), "\(figure.origin) is \(exact), not \(stated)")
        let shown = try #require(Self.shown(figure.text), "\(figure.text)")
        #expect(abs(shown.value - exact) <= shown.slack, "\(figure.text) for \(exact), \(figure.origin)")
      }
    }
  }

  /// No number stands in the tables of measured things without saying which one it is.
  @Test func `measured fields hold figures and marks, nothing else`() throws {
    try withFiles { url, summary in
      let page = ParsedPage(html: try text(url, "report.html"))
      var checked = 0
      for table in page.tables {
        for row in table.rows {
          #expect(row.count == table.columns.count)
          for field in row { #expect(!field.text.trimmingCharacters(in: .whitespaces).isEmpty) }
        }
        let isMatrix = table.columns.first == "workload" && !table.columns.contains("why")
        for row in table.rows {
          for (column, field) in zip(table.columns, row).dropFirst() {
            let isMeasured =
              isMatrix
              || ["p50", "mean", "p90", "p99", "p99.9", "max", "bytes per save", "anonymous", "file-backed"].contains(
                column)
            guard isMeasured else { continue }
            let marks = field.rest.replacing(" to ", with: " ").split(separator: " ").map(String.init)
            let allowed: Set<String> = [
              "~", "?", "^", "x1", "batched", "emulated", "work-alike", "floor", "FAILED", "n/a", "skipped", "skipped,",
              "predicted", "-", "not", "timed", "41", "s",
            ]
            #expect(Set(marks).isSubset(of: allowed), "\(column): \(field.text)")
            checked += 1
          }
        }
      }
      #expect(checked > 150)
    }
  }

  /// A cell of every fate: none is blank, and none wins.
  @Test func `cells without figures are told as what they are`() throws {
    try withFiles { url, summary in
      let page = ParsedPage(html: try text(url, "report.html"))
      let matrix = page.tables.filter { $0.columns.first == "workload" }
      func field(_ task: String, _ backend: String, _ table: Int) -> String? {
        guard matrix.indices.contains(table), let column = matrix[table].columns.firstIndex(of: backend) else {
          return nil
        }
        return matrix[table].rows.first { $0[0].text == task }?[column].text
      }
      // Reads, shipped intact, durable, and what competes with nothing.
      #expect(field("read-one, 10,000 records", "plist", 0)?.hasSuffix(" emulated") == true)
      #expect(field("read-one, 10,000 records", "memory", 0)?.contains("floor") == true)
      #expect(field("launch-warm:until=screen, 10,000 records", "sqlite", 0) == "skipped")
      #expect(field("launch-warm:until=screen, 10,000 records", "plist", 0) == "-")
      #expect(field("load-all, 10,000 records", "lmdb", 0) == "skipped, predicted 41 s")
      #expect(field("save-one, 10,000 records", "object-graph", 1) == "FAILED")
      #expect(field("save-one, 100 records", "object-graph", 1)?.hasSuffix(" work-alike") == true)
      #expect(field("save-one, 10,000 records", "defaults", 3)?.hasSuffix(" ms x1") == true)
      #expect(field("save-one, 10,000 records", "defaults", 2) == "n/a")
      #expect(field("save-one, 10,000 records", "memory", 3) == "31 ns floor batched")
      // One row alone in its line is no contest.
      #expect(field("launch-warm:until=screen, 10,000 records", "lmdb", 0) == "4.2 ms")
      let verdict =
        try text(url, "report.md").components(separatedBy: "### What a small save costs").first?
        .components(separatedBy: "### Who is fastest").last ?? ""
      #expect(verdict.contains("faster than"))
      for loser in [
        "object-graph is 1", "object-graph are", "object-graph or", "plist is",
        "defaults is", "memory is",
      ] {
        #expect(!verdict.contains(loser), "\(loser)")
      }
      #expect(verdict.contains(") is faster still, but unranked"))
    }
  }

  @Test func `the Markdown page has the tables of the HTML page, field by field`() throws {
    try withFiles { url, _ in
      let html = ParsedPage(html: try text(url, "report.html")).tables
      var tables: [[[String]]] = []
      var isTable = false
      for line in try text(url, "report.md").split(separator: "\n", omittingEmptySubsequences: false) {
        guard line.hasPrefix("| ") else {
          isTable = isTable && line.hasPrefix("|")
          continue
        }
        if !isTable { tables.append([]) }
        isTable = true
        if line.hasPrefix("| --- ") { continue }
        let fields = line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map { field in
          ["`", "**", "\\"].reduce(field) { $0.replacing($1, with: "") }
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        }
        tables[tables.count - 1].append(fields)
      }
      #expect(tables.count == html.count)
      for (markdown, table) in zip(tables, html) {
        #expect(markdown.first == table.columns)
        let rows = table.rows.map { $0.map { ["`", "**", "\\"].reduce($0.text) { $0.replacing($1, with: "") } } }
        #expect(Array(markdown.dropFirst()) == rows)
      }
    }
  }

  @Test func `pictures say the figures of the summary`() throws {
    try withFiles { url, summary in
      let page = ParsedPage(html: try text(url, "report.html"))
      var checked = 0
      for (chart, hover) in page.hovers where chart.hasPrefix("save-one, as shipped: median time") {
        let match = try #require(hover.firstMatch(of: #/^(\S+), ([\d,]+) records: ([\d.]+ \w+)/#))
        let cell = "\(match.1.replacing("+", with: ""))/save-one/\(match.2.replacing(",", with: ""))/shipped"
        let exact = try #require(summary.number(cell, "p50_ns") ?? summary.number(cell, "ops_per_s").map { 1e9 / $0 })
        let shown = try #require(Self.shown(String(match.3)))
        #expect(abs(shown.value - exact) <= shown.slack, "\(hover)")
        checked += 1
      }
      #expect(checked == 20, "seven backends at three sizes, one of which failed")
      // Slopes in words, against the textbook's formula on the summary's numbers.
      let laws = try #require(page.tables.first { $0.columns.contains("fitted time") })
      for row in laws.rows {
        let backend = row[0].text.replacing("+", with: "")
        let points = [100, 1000, 10_000].compactMap { size -> (Double, Double)? in
          let cell = "\(backend)/save-one/\(size)/shipped"
          guard let bytes = summary.number(cell, "bytes_written_settled"), bytes > 0,
            let count = summary.number(cell, "counted_operations")
          else { return nil }
          return (log(Double(size)), log(bytes / count))
        }
        guard points.count > 1 else { continue }
        let (x, y) = (
          points.map(\.0).reduce(0, +) / Double(points.count), points.map(\.1).reduce(0, +) / Double(points.count)
        )
        let slope =
          points.reduce(0) { $0 + ($1.0 - x) * ($1.1 - y) } / points.reduce(0) { $0 + ($1.0 - x) * ($1.0 - x) }
        let words = try #require(row.first { $0.text.contains("slope") && !$0.text.contains("(") })
        let stated = try #require(words.text.split(separator: " ").last.flatMap { Double($0) })
        #expect(abs(stated - slope) <= 0.00501, "\(words.text) for \(slope)")
        checked += 1
      }
      #expect(checked == 26)
    }
  }

  @Test func `JSON has every field of the summary`() throws {
    try withFiles { url, summary in
      let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url.appendingPathComponent("report.json")))
      let report = try #require(json as? [String: Any])
      let cells = try #require(report["cells"] as? [[String: Any]])
      #expect(cells.count == summary.rows.count)
      for cell in cells {
        let name = try #require(cell["cell"] as? String)
        let row = try #require(summary.rows[name])
        for (column, text) in row {
          switch cell[column] {
          case let value as String: #expect(value == text)
          case let value as NSNumber: #expect(Double(text) == value.doubleValue, "\(name) \(column)")
          default: #expect(text.isEmpty, "\(name) \(column)")
          }
        }
      }
      #expect((report["verdict"] as? [String])?.contains { $0.hasPrefix("read-one: lmdb is") } == true)
    }
  }

  @Test func `benchstat and Bencher read the same figures`() throws {
    try withFiles { url, summary in
      // The format's own definition: a name that begins with Benchmark, a count, then pairs of value and unit.
      var times: [String: [Double]] = [:]
      for line in try text(url, "benchstat.txt").split(separator: "\n") where line.hasPrefix("Benchmark") {
        let fields = line.split(separator: "\t").map(String.init)
        #expect(Int(fields[1]).map { $0 > 0 } == true)
        let name = String(fields[0].dropFirst("Benchmark".count))
        #expect(name.first?.isUppercase == true && !name.contains(" "))
        for pair in fields.dropFirst(2) {
          let parts = pair.split(separator: " ")
          let value = try #require(Double(parts[0]))
          if parts[1] == "ns/op" { times[name.lowercased(), default: []].append(value) }
          if parts[1] == "syncs/op" {
            let cell = try #require(summary.rows.keys.first { $0 == name.prefix(1).lowercased() + name.dropFirst() })
            let exact = try #require(summary.value("\(cell) syncs_settled / counted_operations", isRate: false))
            #expect(abs(value - exact) < 0.001)
          }
        }
      }
      #expect(times["sqlite/save-one/100/shipped"]?.count == SampleRun.rounds)
      #expect(
        times.values.map(\.count).reduce(0, +) == SampleRun.trials.count { $0.timing != nil } - SampleRun.rounds + 1)
      let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url.appendingPathComponent("bencher.json")))
      let benchmarks = try #require(json as? [String: [String: [String: Double]]])
      #expect(Set(benchmarks.keys) == Set(summary.rows.filter { $0.value["status"] == "ok" }.keys))
      for (cell, measures) in benchmarks {
        let exact = summary.number(cell, "p50_ns") ?? summary.number(cell, "ops_per_s").map { 1e9 / $0 }
        #expect(measures["latency"]?["value"].map { abs($0 - (exact ?? -1)) < 0.01 * (exact ?? 1) } == true)
        #expect(
          measures["latency"]?["lower_value"].map { NumberFormat.plain($0) } ?? "" == summary.rows[cell]?["p50_low_ns"])
      }
    }
  }

  @Test func `JUnit has a case for each cell, and its fate`() throws {
    try withFiles { url, summary in
      let document = try XMLDocument(data: Data(contentsOf: url.appendingPathComponent("junit.xml")))
      let suite = try #require(try document.nodes(forXPath: "/testsuites/testsuite").first as? XMLElement)
      let cases = try suite.nodes(forXPath: "testcase").compactMap { $0 as? XMLElement }
      #expect(cases.count == summary.rows.count)
      #expect(suite.attribute(forName: "tests")?.stringValue == String(cases.count))
      for element in cases {
        let status = try #require(summary.rows[element.attribute(forName: "name")?.stringValue ?? ""]?["status"])
        let child = try #require(element.children?.first { $0.kind == .element })
        let expected = ["ok": "system-out", "failed": "failure", "skipped": "skipped", "n/a": "skipped"]
        #expect(child.name == expected[status])
      }
      let counts = ["failures": ["failed"], "skipped": ["skipped", "n/a"]]
      for (attribute, statuses) in counts {
        let count = summary.rows.values.count { statuses.contains($0["status"] ?? "") }
        #expect(suite.attribute(forName: attribute)?.stringValue == String(count))
      }
    }
  }

  @Test func `annotations are one line each`() throws {
    var failed = SampleRun.plan.cells[0]
    failed.refusal = nil
    let trial = Trial(
      cell: failed.cell, pass: .timed, round: 1, started: 0, wall: 1, status: .failed, note: "50 % of, it:\nwrong")
    try SampleRun.withModel(plan: Plan(rounds: 6, cells: [failed]), trials: [trial]) { model, _ in
      let lines = try GitHubAnnotationsFormat().text(RunReport(model)).split(separator: "\n").map(String.init)
      #expect(
        lines == [
          "::error title=storage-bench%3A FAILED::plist/save-one/100/shipped: 50 %25 of, it:%0Awrong",
          "::warning title=storage-bench::The load was 1.5 when the run began.",
        ])
    }
  }
}
