import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Sections that the sample run lacks, and rules for all sections.
@Suite struct SectionTests {
  @Test func `the drift strip shows a slow stretch and shades it`() throws {
    // Ten cells, each once in a round of ten seconds. In the third round everything takes twice as long.
    let trials = (0..<60).map { second -> (started: Double, cell: Int, time: Double) in
      let usual = Double(second % 10 + 1) * 1000
      return (Double(second), second % 10, second / 10 == 2 ? usual * 2 : usual)
    }
    let drift = Drift(trials) { $0 >= 5 }
    #expect(drift.windows.count >= 6)
    #expect(drift.windows.contains { $0.isSyncing } && drift.windows.contains { !$0.isSyncing })
    #expect(!drift.badWindows.isEmpty)
    for window in drift.badWindows { #expect(window.to > 20 && window.from < 30, "\(window)") }
    let usual = trials.map { (started: $0.started, cell: $0.cell, time: Double($0.cell + 1)) }
    #expect(Drift(usual) { _ in false }.badWindows.isEmpty)
    #expect(Drift([]) { _ in false }.windows.isEmpty)
  }

  /// The safety section of the sample run, with a record of crash tests beside it or in it.
  private func safetyPanel(
    beside: Bool = false, change: (inout SafetyReport.FaultResult) -> Void = { _ in }
  ) throws -> Section {
    let url = try SampleRun.write()
    let parent = url.deletingLastPathComponent()
    defer { try? FileManager.default.removeItem(at: parent) }
    let plain = try ReportModel(reading: RunDirectory(url: url))
    let row = try #require(plain.rows.first { $0.cell.backend.id == "sqlite" && $0.cell.durability == .shipped })
    var finding = SafetyReport.FaultResult(
      backend: "sqlite", durability: .shipped, level: .intact,
      engine: plain.environment.engines["sqlite"] ?? "", settings: row.settings, fault: "kill", cases: 296, kept: 296)
    change(&finding)
    let report = SafetyReport(created: "2026-01-01T00:00:00Z", seed: 1, place: "ext4", findings: [finding])
    let directory = beside ? parent.appendingPathComponent("crashtest") : url
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try JSONEncoder().encode(report).write(to: directory.appendingPathComponent("safety.json"))
    let model = try ReportModel(reading: RunDirectory(url: url))
    return try #require(model.section("safety"))
  }

  private func tested(_ section: Section, _ backend: String = "sqlite") throws -> String {
    let promises = try #require(section.tables.first { $0.title == "What is promised" })
    return try #require(promises.texts.first { $0[0].hasPrefix(backend) && $0[1] == "shipped" }?.last)
  }

  @Test(arguments: [false, true])
  func `what the fault tests found stands beside the promises`(beside: Bool) throws {
    let section = try safetyPanel(beside: beside)
    #expect(section.lead.map(\.text) == ["No broken promise was found in 296 cases."])
    #expect(try tested(section) == "nothing against the promise found in 296 cases")
    let found = try #require(section.tables.first { $0.title == "What was found" })
    #expect(
      found.texts == [
        [
          "sqlite", "shipped", "intact", "kill", "296", "296", "0", "0", "0", "0", "0", "0",
          "not found broken in 296 cases",
        ]
      ])
    // Backends that were not tested say so, and none is called safe.
    #expect(try tested(section, "plist") == "promised, not tested here")
    #expect(!section.tables.flatMap(\.texts).joined().contains { $0.contains("safe") })
  }

  @Test func `a broken promise is named first`() throws {
    let section = try safetyPanel {
      $0.broken = 3
      $0.lostAgainstPromise = 3
      $0.kept -= 3
    }
    #expect(
      section.lead.map(\.text) == [
        "Broken: sqlite, shipped, kill: 3 of 296 cases ended worse than intact allows."
      ])
    #expect(try tested(section) == "BROKEN: kill")
    let found = try #require(section.tables.first { $0.title == "What was found" })
    #expect(found.rows[0].last?.kind == .failed)
  }

  @Test func `another engine version or other settings were not tested`() throws {
    for change in [
      { (finding: inout SafetyReport.FaultResult) in finding.engine = "0.1" }, { $0.settings = "journal_mode=off" },
      { $0.backend = "sqlite:journal=wal" }, { $0.durability = .durable },
      { $0.cases = 0 },
    ] {
      let section = try safetyPanel(beside: true, change: change)
      #expect(try tested(section) == "promised, not tested here")
      #expect(!section.tables.contains { $0.title == "What was found" })
      #expect(section.lead.map(\.text).joined().contains("crashtest puts it to the test"))
    }
  }

  @Test func `the newest record counts`() {
    func report(_ day: Int, broken: Int, fault: String = "kill") -> SafetyReport {
      SafetyReport(
        created: "2026-01-0\(day)T00:00:00Z", seed: 1, place: "",
        findings: [.init(backend: "a", durability: .shipped, level: .crash, fault: fault, cases: 5, broken: broken)])
    }
    let records = SafetyRecords([
      report(2, broken: 4, fault: "damage"), report(2, broken: 0), report(3, broken: 1), report(1, broken: 2),
    ])
    let found = records.findings(backend: "a", durability: .shipped, engine: "", settings: "")
    #expect(found.map(\.fault) == ["kill", "damage"])
    #expect(found.map(\.broken) == [1, 4])
    #expect(records.findings(backend: "b", durability: .shipped, engine: "", settings: "").isEmpty)
  }

  @Test func `every section says how it is read`() throws {
    let model = try SampleRun.model()
    let sections = model.document.sections
    #expect(Set(sections.map(\.id)).count == sections.count)
    for section in sections where section.media.contains(.page) { #expect(!section.guide.isEmpty, "\(section.id)") }
  }

  /// No value of a picture is shown by the pointer alone.
  @Test func `the values of a picture are in a table`() throws {
    let model = try SampleRun.model()
    var checked = 0
    let sections = model.document.sections
    let shown = Set(sections.flatMap(\.tables).flatMap(\.texts).joined())
    for section in sections {
      for growth in section.charts.compactMap({ $0 as? GrowthChart }) {
        for point in growth.lines.flatMap(\.points) {
          #expect(
            shown.contains(growth.id.hasSuffix("time") ? NumberFormat.time(point.y) : NumberFormat.bytes(point.y)))
          checked += 1
        }
      }
    }
    #expect(checked > 10)
  }

  @Test func `a logarithmic axis shows a launch fifty times as long as another, and the rest`() throws {
    let cells = [SampleRun.plist, SampleRun.sqlite, SampleRun.lmdb].map {
      SampleRun.read($0, "launch-warm:until=screen")
    }
    let plan = changed(SampleRun.plan) { $0.cells = Plan(of: cells).cells }
    let trials = cells.flatMap { cell in (1...6).map { SampleRun.timed(cell, round: $0) } }
    let section = try #require(try SampleRun.section("launch", plan: plan, trials: trials))
    let chart = try #require(section.charts.first as? IntervalChart)
    // The table beside it has the same figures, and is open.
    let table = try #require(section.tables.first)
    #expect(!table.isFolded && table.texts.map { $0[3] } == chart.rows.map(\.text))
    #expect(chart.note.contains("logarithmic"))
    // A bar would begin at zero, which this axis does not have.
    #expect(!chart.file().contains("class=\"bar"))
  }

  @Test func `stores and databases with the same crossover share a line`() throws {
    let engines: [SyntheticRun.Engine] = [
      .init(id: "plist", isWholeFile: true, time: .init(constant: 0, coefficient: 300_000, exponent: 1)),
      .init(id: "archive", isWholeFile: true, time: .init(constant: 0, coefficient: 600_000, exponent: 1)),
      .init(id: "sqlite", time: .init(constant: 400_000, coefficient: 0, exponent: 1)),
      .init(id: "lmdb", time: .init(constant: 100_000, coefficient: 0, exponent: 1)),
    ]
    let section = try #require(SyntheticRun(engines: engines, noise: .normal(0.01)).model.section("limits"))
    let table = try #require(section.tables.first { $0.title.hasSuffix("is slower than a database") })
    #expect(table.texts == [["plist, archive", "save-one", "intact", "sqlite, lmdb", "under 100"]])
  }

  @Test func `a run with one cell has a page`() throws {
    let cell = SampleRun.plan.cells[1]
    let plan = Plan(rounds: 6, cells: [cell])
    for trials in [[], [SampleRun.counted(cell.cell)], (1...6).map { SampleRun.timed(cell.cell, round: $0) }] {
      try SampleRun.withModel(plan: plan, trials: trials) { model, url in
        try model.write(formats: ReportFormats.withoutImage)
        #expect(try MarkupProblems.ofPage(url.text("report.html")) == [])
      }
    }
  }
}

@Suite struct MarkupTests {
  @Test func `indented XML has an element a line and keeps the line ends of texts`() {
    let suite = Element(
      "testsuite", ["name": "a\nb"],
      [Element("testcase"), Element("testcase", [:], [Element("system-out", text: "one\ntwo <\u{1}")])])
    #expect(
      suite.text(.indentedXML) == """
        <testsuite name="a&#10;b">
          <testcase/>
          <testcase>
            <system-out>one&#10;two &lt;\u{FFFD}</system-out>
          </testcase>
        </testsuite>

        """)
  }

  @Test func `texts and attributes are escaped in each syntax`() {
    let nasty = "<script>alert(1)</script> & \"quotes\" \u{1}\u{FFFE}\u{9B}\u{202E}é"
    let element = Element("p", ["title": nasty], text: nasty)
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}é"
    for syntax in [Element.Syntax.html, .xml, .indentedXML] {
      #expect(element.text(syntax).filter { $0 != "\n" } == "<p title=\"\(escaped)\">\(escaped)</p>", "\(syntax)")
    }
  }

  @Test func `empty elements end as their language wants it`() {
    let element = Element(
      "div", [:], [Element("meta", ["charset": "utf-8"]), Element("td"), Element("svg", [:], [Element("path")])])
    #expect(element.text(.html) == "<div>\n<meta charset=\"utf-8\">\n<td></td><svg>\n<path/>\n</svg>\n</div>\n")
  }

  @Test(arguments: [(16, 16), (17, 8)]) func `long lists show their first half`(count: Int, shown: Int) throws {
    let lines = (0..<count).map { RichText("line \($0).") }
    let section = changed(Section(id: "list", title: "List")) { $0.lists = [.init(title: "Lines", items: lines)] }
    let page = HTMLFormat.text(Document(title: "Page", sections: [section]))
    let parts = page.components(separatedBy: "<details>")
    #expect(parts.count == (shown < count ? 2 : 1))
    #expect(parts[0].contains("line \(shown - 1).") && !parts[0].contains("line \(shown)."))
    if shown < count {
      #expect(parts[1].contains("<summary>\(count - shown) more</summary>") && parts[1].contains("line \(count - 1)."))
    }
    #expect(MarkupProblems.ofPage(page) == [])
  }

  @Test func `words keep their emphasis in every format`() {
    let words: RichText = "\(strong: "plist") takes \(code: "a`b") *really* long_names_ <b>"
    #expect(words.text == "plist takes a`b *really* long_names_ <b>")
    #expect(MarkdownText.text(words) == "**plist** takes `` a`b `` \\*really\\* long_names_ &lt;b&gt;")
  }

  @Test(arguments: [
    ("# a", "\\# a"), ("```a", "\\`\\`\\`a"), ("a ` b", "a \\` b"), ("`a` `b`", "`a` `b`"), ("1. a", "1\\. a"),
    ("12) a", "12\\) a"), ("- a", "\\- a"), ("+ a", "\\+ a"),
    ("    a", "a"), ("---", "\\---"), ("- - -", "\\- - -"), ("> a", "&gt; a"),
    ("https://a.b www.a.b", "https:\\//a.b www\\.a.b"), ("[\u{301}a](b)", "\\[\u{301}a\\](b)"),
    ("-", "-"), ("1.5 s", "1.5 s"), ("-1 %", "-1 %"), ("a\r\nb", "a b"),
  ])
  func `a text begins no block and holds no link`(text: String, written: String) {
    #expect(MarkdownText.text(RichText(text)) == written)
  }

  @Test func `a bar with an accent ends no field`() {
    let table = Table("t", [.words("a"), .words("b")], [[.init("x|\u{301}y"), .init("z\\|")]])
    let section = changed(Section(id: "s", title: "S")) { $0.tables = [table] }
    let text = MarkdownFormat.text(Document(title: "d", sections: [section]))
    #expect(text.contains("| x\\|\u{301}y | z\\\\\\| |"), "\(text)")
  }

  @Test func `what reaches the device is shown only if it was counted`() throws {
    for isCounted in [true, false] {
      let trials = SampleRun.trials.map { trial in
        let bytes = trial.cost?.bytesWrittenSettled.map { 2 * $0 }
        return changed(trial) { $0.cost?.deviceBytes = isCounted ? bytes : nil }
      }
      let section = try #require(try SampleRun.model(trials: trials).section("rewrite"))
      let text = section.lead.map(\.text).joined()
      #expect(text.contains("flash wear") == isCounted)
      #expect(section.tables[0].columns.map(\.title).contains("per 1,000 saves") == isCounted)
    }
  }

  @Test func `a save that is handed over is not shown as a save`() {
    func series(_ workload: String) -> CostSeries {
      CostSeries(pattern: Cell("sqlite", workload, records: 0), rows: [])
    }
    let all = ["save-one:via=queue", "save-one:indexes=1", "load-all:as=faults"].map(series)
    #expect(CostSeries.saves(in: all).map(\.pattern.workload.description) == ["save-one:indexes=1"])
    #expect(CostSeries.of("load-all", in: all).isEmpty)
  }
}
