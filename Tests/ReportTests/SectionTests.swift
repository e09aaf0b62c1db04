import Foundation
@testable import SampleRuns
import StorageContract
@testable import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

/// Sections that the sample run has nothing for, and what is common to all.
@Suite struct SectionTests {
  @Test func `the drift strip shows a slow stretch and shades it`() throws {
    // Ten cells, each once a round of ten seconds; in the third round everything takes twice as long.
    var trials: [(started: Double, cell: Int, time: Double)] = []
    for round in 0..<6 {
      for cell in 0..<10 {
        let usual = Double(cell + 1) * 1000
        trials.append((Double(round * 10 + cell), cell, round == 2 ? usual * 2 : usual))
      }
    }
    let drift = Drift(trials) { $0 >= 5 }
    #expect(drift.windows.count >= 6)
    #expect(drift.windows.contains { $0.isSyncing } && drift.windows.contains { !$0.isSyncing })
    #expect(!drift.badWindows.isEmpty)
    for window in drift.badWindows { #expect(window.to > 20 && window.from < 30, "\(window)") }
    let usual = trials.map { (started: $0.started, cell: $0.cell, time: Double($0.cell + 1)) }
    let steady = Drift(usual) { _ in false }
    #expect(steady.badWindows.isEmpty)
    #expect(Drift([]) { _ in false }.windows.isEmpty)
  }

  /// A record of sqlite as the sample run has it, beside it or in it.
  private func safetyPanel(
    created: String = "2026-01-01T00:00:00Z", beside: Bool = false,
    change: (inout SafetyReport.FaultResult) -> Void = { _ in }
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
    let report = SafetyReport(created: created, seed: 1, place: "ext4", findings: [finding])
    let place = beside ? parent.appendingPathComponent("crashtest") : url
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try JSONEncoder().encode(report).write(to: place.appendingPathComponent("safety.json"))
    let model = try ReportModel(reading: RunDirectory(url: url))
    return try #require(RunReport(model).document.sections.first { $0.id == "safety" })
  }

  private func tested(_ section: Section, _ backend: String = "sqlite") throws -> String {
    let promises = try #require(section.tables.first { $0.title == "What is promised" })
    let row = try #require(
      promises.rows.first { $0[0].words.text.hasPrefix(backend) && $0[1].words.text == "shipped" })
    return try #require(row.last).words.text
  }

  @Test(arguments: [false, true])
  func `what the fault tests found stands beside the promises`(beside: Bool) throws {
    let section = try safetyPanel(beside: beside)
    #expect(section.lead.map(\.text) == ["No broken promise was found in 296 cases."])
    #expect(try tested(section) == "nothing against the promise found in 296 cases")
    let found = try #require(section.tables.first { $0.title == "What was found" })
    #expect(
      found.rows.map { $0.map(\.words.text) } == [
        [
          "sqlite", "shipped", "intact", "kill", "296", "296", "0", "0", "0", "0", "0", "0",
          "not found broken in 296 cases",
        ]
      ])
    // Backends that were not tested say so, and none is called safe.
    #expect(try tested(section, "plist") == "promised, not tested here")
    #expect(!section.tables.flatMap(\.rows).joined().contains { $0.words.text.contains("safe") })
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
    func report(_ created: String, broken: Int) -> SafetyReport {
      SafetyReport(
        created: created, seed: 1, place: "",
        findings: [.init(backend: "a", durability: .shipped, level: .crash, fault: "kill", cases: 5, broken: broken)])
    }
    var other = report("2026-01-01T12:00:00Z", broken: 4)
    other.findings[0].fault = "damage"
    let records = SafetyRecords([
      other,
      report("2026-01-02T00:00:00Z", broken: 0), report("2026-01-03T00:00:00Z", broken: 1),
      report("2026-01-01T00:00:00Z", broken: 2),
    ])
    let found = records.findings(backend: "a", durability: .shipped, engine: "", settings: "")
    #expect(found.map(\.fault) == ["kill", "damage"])
    #expect(found.map(\.broken) == [1, 4])
    #expect(records.findings(backend: "b", durability: .shipped, engine: "", settings: "").isEmpty)
  }

  @Test func `a safety report of another version is refused`() throws {
    let url = try SampleRun.write()
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    try Data("{\"schema\": 9}".utf8).write(to: url.appendingPathComponent("safety.json"))
    #expect {
      try ReportModel(reading: RunDirectory(url: url))
    } throws: {
      "\($0)".contains("safety.json has schema version 9")
    }
  }

  @Test func `several runs show which counts changed`() throws {
    func model(_ name: String, _ change: (inout Cost) -> Void) throws -> ReportModel {
      var trials = SampleRun.trials
      for index in trials.indices where trials[index].cell == SampleRun.save(SampleRun.sqlite, 100) {
        if var cost = trials[index].cost {
          change(&cost)
          trials[index].cost = cost
        }
      }
      let url = try SampleRun.write(trials: trials, name: name)
      defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      return try ReportModel(reading: RunDirectory(url: url))
    }
    let same = try model("a") { _ in }
    let more = try model("b") { $0.syncsSettled = 10_000 }
    #expect(ReportModel.together([same])[0].history.isEmpty)
    let both = ReportModel.together([same, more])
    let section = try #require(RunReport(both[1]).document.sections.first { $0.id == "history" })
    #expect(
      section.tables[0].rows.map { $0.map(\.words.text) } == [["sqlite/save-one/100/shipped", "syncs", "4", "5"]])
    // The counts, then the times of both: at one level with its sizes, and at the other.
    #expect(section.charts.map(\.id) == ["history", "save-one-shipped-runs", "save-one-durable-runs"])
    let curves = try #require(section.charts[1] as? GrowthChart)
    for line in curves.lines where line.name == "sqlite" {
      let rows = same.rows.filter { $0.cell.backend.id == "sqlite" && $0.cell.backend.options.isEmpty }
      let times = rows.filter { $0.cell.workload.id == "save-one" && $0.cell.durability == .shipped }
      #expect(line.points.map(\.y) == times.compactMap(\.typicalTime))
    }
    // Times of three runs, or of two machines, are not shown together.
    #expect(
      RunReport(ReportModel.together([same, more, same])[0]).document.sections
        .first { $0.id == "history" }?.charts.count == 1)
    let unchanged = try #require(
      RunReport(ReportModel.together([same, same])[0]).document.sections.first { $0.id == "history" })
    #expect(unchanged.lead[0].text.hasPrefix("None of "))
    #expect(!unchanged.tables.contains { $0.title.hasPrefix("What changed") })
    #expect(!unchanged.charts.contains { $0.id == "history" })
    // Without others there is no history.
    #expect(!RunReport(same).document.sections.contains { $0.id == "history" })
  }

  @Test func `pictures have names of their own, words for those who hear them, and no blank numbers`() throws {
    try SampleRun.withModel { model, _ in
      let charts = RunReport(model).document.sections.flatMap { $0.charts + $0.pictures }
      #expect(charts.count > 8)
      #expect(Set(charts.map(\.id)).count == charts.count)
      for chart in charts {
        let file = chart.file()
        #expect(!chart.title.isEmpty && chart.summary.count > 20, "\(chart.id)")
        #expect(file.contains("<title>\(chart.title)</title>"))
        #expect(!file.contains("nan") && !file.contains("inf\""), "\(chart.id)")
        #expect(chart.id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
      }
    }
  }

  @Test func `every section says how it is read`() throws {
    try SampleRun.withModel { model, _ in
      let sections = RunReport(model).document.sections
      #expect(Set(sections.map(\.id)).count == sections.count)
      for section in sections where section.media.contains(.page) { #expect(!section.guide.isEmpty, "\(section.id)") }
      #expect(sections.prefix(3).map(\.id) == ["answer", "verdict", "origin"])
    }
  }

  /// No picture has a value that only a pointer shows: what it draws stands in a table of its section.
  @Test func `what a picture draws stands in a table of its section`() throws {
    try SampleRun.withModel { model, _ in
      var checked = 0
      for section in RunReport(model).document.sections where !["answer", "verdict"].contains(section.id) {
        let shown = Set(section.tables.flatMap(\.rows).joined().map(\.words.text))
        for chart in section.charts {
          guard let growth = chart as? GrowthChart else { continue }
          for line in growth.lines {
            for point in line.points {
              #expect(
                shown.contains(growth.id.hasSuffix("time") ? NumberFormat.time(point.y) : NumberFormat.bytes(point.y)))
              checked += 1
            }
          }
        }
      }
      #expect(checked > 10)
    }
  }

  @Test func `a logarithmic axis shows a launch fifty times as long as another, and the rest`() throws {
    var plan = SampleRun.plan
    plan.cells = [SampleRun.plist, SampleRun.sqlite, SampleRun.lmdb].map {
      PlannedCell(cell: SampleRun.read($0, "launch-warm:until=screen"), level: nil, engineVersion: "e")
    }
    let trials = plan.cells.flatMap { planned in (1...6).map { SampleRun.timed(planned.cell, round: $0) } }
    try SampleRun.withModel(plan: plan, trials: trials) { model, _ in
      let section = try #require(RunReport(model).document.sections.first { $0.id == "launch" })
      let chart = try #require(section.charts.first as? IntervalChart)
      // The table beside it has the same figures, and stands open.
      let table = try #require(section.tables.first)
      #expect(!table.isFolded && table.rows.map { $0[3].words.text } == chart.rows.map(\.text))
      #expect(chart.note.contains("logarithmic"))
      // A bar would begin at zero, which this axis does not have.
      #expect(!chart.file().contains("class=\"bar"))
    }
  }

  @Test func `stores and databases with the same crossover share a line`() throws {
    let engines: [SyntheticRun.Engine] = [
      .init(id: "plist", isWholeFile: true, time: .init(constant: 0, coefficient: 300_000, exponent: 1)),
      .init(id: "archive", isWholeFile: true, time: .init(constant: 0, coefficient: 600_000, exponent: 1)),
      .init(id: "sqlite", time: .init(constant: 400_000, coefficient: 0, exponent: 1)),
      .init(id: "lmdb", time: .init(constant: 100_000, coefficient: 0, exponent: 1)),
    ]
    let model = SyntheticRun(engines: engines, noise: .normal(0.01)).model
    let section = try #require(RunReport(model).document.sections.first { $0.id == "limits" })
    let table = try #require(section.tables.first { $0.title.hasSuffix("is slower than a database") })
    #expect(
      table.rows.map { $0.map(\.words.text) } == [
        ["plist, archive", "save-one", "intact", "sqlite, lmdb", "under 100"]
      ])
  }

  @Test func `a run with one cell has a page`() throws {
    let cell = SampleRun.plan.cells[1]
    let plan = Plan(rounds: 6, cells: [cell])
    for trials in [[], [SampleRun.counted(cell.cell)], (1...6).map { SampleRun.timed(cell.cell, round: $0) }] {
      try SampleRun.withModel(plan: plan, trials: trials) { model, url in
        try model.write(formats: ReportFormats.all)
        let page = try String(decoding: Data(contentsOf: url.appendingPathComponent("report.html")), as: UTF8.self)
        #expect(ParsedPage(html: page).problems.isEmpty)
      }
    }
  }
}

/// Words and marks that a reader need not know.
@Suite struct TermTests {
  @Test(arguments: [
    (Term.cell, ["55 cells: 54 ok", "cell"], ["cellar", "excellent"]),
    (.lookalike, ["object-graph+", "5 us 1.1x lookalike", "object-graph+:sync=full"], ["to 10,000+", "1+1"]),
    (.aboutEqual, ["5 us 1.0x ~", "8.7 ms~"], ["to ~650", "~5,000"]),
    (.inconclusive, ["5 us 1.0x ?", "8.7 ms?"], ["(?-37)", "which one?"]),
    (.exceeds, ["lmdb^", "5 us 1.0x ^", "11 us^*"], ["5.2 us x N^1.04"]), (.timedOnce, ["1.2 s x1"], ["x10", "1x"]),
    (.batched, ["31 ns batched"], ["batches"]), (.emulated, ["5 us emulated"], []), (.floor, ["floor, not ranked"], []),
  ]) func `a term is found where it is used and nowhere else`(term: Term, used: [String], not: [String]) {
    for text in used { #expect(term.isUsed(in: text), "\(text)") }
    for text in not { #expect(!term.isUsed(in: text), "\(text)") }
    // A definition that used another term would leave that one open.
    for other in Term.allCases where other != term { #expect(!other.isUsed(in: term.words), "\(term), \(other)") }
  }

  /// What each section shows without being asked, and what it then says of the terms.
  @Test func `each section defines the terms that it uses, once, and no others`() throws {
    try SampleRun.withModel { model, _ in
      var seen: Set<Term> = []
      for section in RunReport(model).document.sections {
        let definitions = Term.allCases.map(\.definition.text)
        func used(_ texts: [String]) -> Set<Term> {
          // The definitions themselves do not count as use.
          let bare = texts.filter { text in !definitions.contains { text.contains($0) } }
          return Set(Term.allCases.filter { term in bare.contains(where: term.isUsed) })
        }
        let shown = section.lists.filter { $0.media.contains(.page) }
        let words = section.lead + shown.flatMap { $0.items + [RichText($0.title ?? "")] }
        let fields = section.tables.flatMap { $0.rows.joined().map(\.words) + $0.columns.map { RichText($0.title) } }
        let footers = section.tables.flatMap(\.footer)
        let terms = used((words + fields + footers).map(\.text))
        let said = (section.lead + footers).map(\.text)
        for term in Term.allCases {
          let count = said.count { $0.contains(term.definition.text) }
          // The word is defined once in all, the marks in every section.
          let isNew = terms.contains(term) && !(term == .cell && seen.contains(.cell))
          #expect(count == (isNew ? 1 : 0), "\(section.id) defines \(term) \(count) times")
        }
        seen.formUnion(terms)
      }
      #expect(seen.isSuperset(of: [.cell, .lookalike, .exceeds, .timedOnce, .batched, .emulated, .floor]))
    }
  }

  @Test func `the page, the Markdown and the terminal say them alike`() throws {
    try SampleRun.withModel { model, _ in
      let document = RunReport(model).document
      let texts = [
        HTMLFormat.text(document).replacing(#/<[^>]*>/#, with: "").replacing("&quot;", with: "\""),
        MarkdownFormat.text(document).replacing("`", with: ""),
        TerminalWriter.text(document).split(whereSeparator: \.isWhitespace).joined(separator: " "),
      ]
      for term in [Term.cell, .lookalike, .exceeds, .timedOnce] {
        for text in texts { #expect(text.contains(term.definition.text), "\(term)") }
      }
      for term in [Term.batched, .emulated, .floor] { #expect(texts[1].contains(term.definition.text)) }
      // Programs are not told what words mean.
      let json = try JSONFormat().text(RunReport(model))
      #expect(!json.contains(Term.exceeds.definition.text) && json.contains("32 cells: "))
      // A run without such rows does not speak of them.
      let plain = SyntheticRun(engines: [.init(id: "a", time: .init(constant: 1e5, coefficient: 0, exponent: 1))]).model
      for term in [Term.lookalike, .exceeds, .timedOnce, .emulated] {
        #expect(
          !RunReport(plain).document.sections.flatMap { $0.lead + $0.tables.flatMap(\.footer) }
            .contains { $0.text.contains(term.definition.text) })
      }
    }
  }
}

/// The picture that stands for a report where a link to it is shown.
@Suite struct CardTests {
  @Test func `the card says whom to take, in letters that a thumbnail keeps legible`() throws {
    try SampleRun.withModel { model, url in
      let card = try #require(RunReport(model).document.card as? CardChart)
      #expect(card.headline == "To lose nothing in a power cut, take sqlite (durable).")
      #expect(card.place.hasPrefix("2 cores, Example 3000"))
      let file = card.file()
      #expect(file.contains("viewBox=\"0 0 1200 630\"") && file.contains(">storage-bench: sample<"))
      #expect(file.contains("prefers-color-scheme: dark"))
      let sizes = file.matches(of: #/font-size: (\d+)px" x/#).compactMap { Double($0.1) }
      #expect(sizes.count >= 3 && (sizes.dropFirst().first ?? 0) >= 40)
      // Nothing reaches beyond its edges.
      let heights = file.matches(of: #/ y="([\d.]+)"/#).compactMap { Double($0.1) }
      #expect(heights.allSatisfy { $0 <= 630 })
      // It is a file beside the others, and stands nowhere on the page.
      try model.write(formats: ReportFormats.named(["svg", "html"]))
      let written = try String(contentsOf: url.appendingPathComponent("charts/card.svg"), encoding: .utf8)
      #expect(written == file)
      #expect(
        !(try String(contentsOf: url.appendingPathComponent("report.html"), encoding: .utf8)).contains(card.headline))
    }
  }

  @Test func `a long answer is written smaller and whole, and a run without an answer has no card`() {
    let long = Array(repeating: "sqlite:journal=wal at 100 to 1,000 records", count: 4).joined(separator: "; ")
    for picture in [nil, GrowthChart(id: "g", title: "G", summary: "s", note: "", unit: { "\($0)" }, lines: [])] {
      let card = CardChart(title: "T", headline: long, picture: picture, place: "")
      let lines = card.file().matches(of: #/<text class="strong"[^>]*>([^<]*)</#).map { String($0.1) }
      #expect(lines.joined(separator: " ") == long)
    }
    var run = SyntheticRun(engines: [.init(id: "a", time: .init(constant: 1e5, coefficient: 0, exponent: 1))])
    run.rounds = 1
    #expect(RunReport(run.model).document.card == nil)
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

  @Test func `what comes from outside cannot become markup`() throws {
    let nasty = "<script>alert(1)</script> & \"quotes\" \u{1}\u{FFFE}é"
    let element = Element("p", ["title": nasty], text: nasty)
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; \u{FFFD}\u{FFFD}é"
    #expect(element.text(.html) == "<p title=\"\(escaped)\">\(escaped)</p>\n")
    var plan = SampleRun.plan
    plan.label = nasty
    plan.command = ["storage-bench", nasty]
    try SampleRun.withModel(plan: plan) { model, _ in
      let page = HTMLFormat.text(RunReport(model).document)
      #expect(page.components(separatedBy: "<script").count == 3, "the page's own, and its data")
      #expect(!page.contains("<script>"))
      #expect(ParsedPage(html: page).problems.isEmpty)
      let markdown = MarkdownFormat.text(RunReport(model).document)
      #expect(markdown.hasPrefix("# storage-bench: &lt;script&gt;"))
      #expect(markdown.contains("`storage-bench <script>"), "within code it is only shown")
    }
  }

  @Test func `empty elements end as their language wants it`() {
    let element = Element(
      "div", [:], [Element("meta", ["charset": "utf-8"]), Element("td"), Element("svg", [:], [Element("path")])])
    #expect(element.text(.html) == "<div>\n<meta charset=\"utf-8\">\n<td></td><svg>\n<path/>\n</svg>\n</div>\n")
  }

  @Test(arguments: [(16, 16), (17, 8)]) func `long lists show their first half`(count: Int, shown: Int) throws {
    var section = Section(id: "list", title: "List")
    section.lists = [.init("Lines", (0..<count).map { RichText("line \($0).") })]
    let page = HTMLFormat.text(Document(title: "Page", sections: [section]))
    let parts = page.components(separatedBy: "<details>")
    #expect(parts.count == (shown < count ? 2 : 1))
    #expect(parts[0].contains("line \(shown - 1).") && !parts[0].contains("line \(shown)."))
    if shown < count {
      #expect(parts[1].contains("<summary>\(count - shown) more</summary>") && parts[1].contains("line \(count - 1)."))
    }
    #expect(ParsedPage(html: page).problems.isEmpty)
  }

  @Test func `words keep their emphasis in every format`() {
    let words: RichText = "\(strong: "plist") takes \(code: "a`b") *really* long_names_ <b>"
    #expect(words.text == "plist takes a`b *really* long_names_ <b>")
    #expect(MarkdownText.text(words) == "**plist** takes `` a`b `` \\*really\\* long_names_ &lt;b&gt;")
  }
}

@Suite struct ChartTests {
  @Test func `ticks are round, in order, and have room`() throws {
    for (low, high) in [(1.0, 3.0), (0.9, 1.1), (12, 95_000), (3, 4e9), (5e-3, 7)] {
      let scale = try #require(LogScale([low, high], pixels: (0, 300)))
      let ticks = scale.ticks(across: NumberFormat.time)
      #expect(!ticks.isEmpty && ticks == ticks.sorted())
      for (left, right) in zip(ticks, ticks.dropFirst()) {
        let room =
          (Canvas.width(of: NumberFormat.time(left), size: 11) + Canvas.width(of: NumberFormat.time(right), size: 11))
          / 2
        #expect(scale(right) - scale(left) > room)
      }
    }
    #expect(LogScale([0, -1, .infinity], pixels: (0, 1)) == nil)
    #expect(LinearScale(most: 47, pixels: (0, 100)).ticks == [0, 10, 20, 30, 40])
    #expect(LinearScale(most: 0, pixels: (0, 100)).ticks == [0])
  }

  @Test func `names are broken where they are too long, and lose nothing`() {
    let name = "sqlite:journal=delete:statements=fresh in a workload with a name"
    let lines = Canvas.wrapped(name, width: 120, size: 12)
    #expect(lines.count > 2)
    for line in lines { #expect(Canvas.width(of: line, size: 12) <= 120) }
    #expect(lines.joined().filter { $0 != " " } == name.filter { $0 != " " })
    #expect(Canvas.cut("short", width: 100, size: 12) == "short")
    #expect(Canvas.cut(name, width: 100, size: 12).hasSuffix("..."))
  }

  @Test func `lines end at spaces, then after a hyphen, colon or comma, never within a word or number`() {
    #expect(
      Canvas.wrapped("launch-warm:until=screen, 10,000 records", width: 90, size: 11) == [
        "launch-warm:", "until=screen,", "10,000 records",
      ])
    #expect(Canvas.wrapped("save-one, 100 records", width: 300, size: 11) == ["save-one, 100 records"])
    #expect(Canvas.leastWidth(of: "sqlite-queue", size: 11) == Canvas.width(of: "sqlite-", size: 11))
  }

  @Test func `the matrix picture breaks no word and leaves none out`() throws {
    let names = ["launch-warm:until=screen, 10,000 records", "relational:unindexed, 1,000 records, 4 threads, cold"]
    let columns = ["sqlite:journal=delete:statements=fresh", "object-graph+", "lmdb"]
    let field = HeatChart.Field(text: "1.2 ms", detail: "3,600x x1", ratio: 3600, isBest: false, hover: "h")
    let chart = HeatChart(
      id: "m", title: "T", summary: "S", note: "N", columns: columns,
      rows: names.map { (name: $0, fields: columns.map { _ in field }) })
    let texts = try self.texts(chart.file()).map(\.words)
    let pieces = Set(texts.flatMap { $0.split(separator: " ").map(String.init) })
    for part in [
      "launch-warm:", "until=screen,", "10,000", "records", "relational:", "unindexed,", "1,000", "cold", "sqlite:",
      "statements=fresh", "object-", "graph+", "lmdb",
    ] {
      #expect(pieces.contains { $0.contains(part) }, "\(part) is not whole in \(pieces.sorted())")
    }
    // Nothing is lost either.
    let all = texts.joined().filter { $0 != " " }
    for name in names { #expect(all.contains(name.filter { $0 != " " })) }
  }

  @Test func `lines that lie on each other are both seen, and their marks stand side by side`() throws {
    func line(_ index: Int, _ name: String, _ factor: Double) -> GrowthChart.Line {
      let points = [100.0, 1000, 10_000].map { GrowthChart.Point(x: $0, y: 6e5 * factor, hover: "h") }
      let fit = GrowthFit(points.map { ($0.x, $0.y) }, rounds: [:])
      return .init(mark: SeriesMark(index: index), name: name, points: points, curve: fit!.curve)
    }
    func chart(_ factor: Double) -> GrowthChart {
      GrowthChart(
        id: "c", title: "T", summary: "S", note: "N", unit: NumberFormat.time,
        lines: [line(0, "sqlite", 1), line(1, "sqlite-queue", factor), line(2, "plist", 400)])
    }
    func widths(_ chart: GrowthChart) -> [String] {
      chart.file().matches(of: #/<path class="line s\d"[^>]*?(?:style="stroke-width: ([\d.]+)")?\/>/#)
        .map { $0.1.map(String.init) ?? "" }
    }
    // The first of the two that coincide is the wider one; the others are as usual.
    #expect(widths(chart(1.02)) == ["5.5", "", ""])
    #expect(widths(chart(9)) == ["", "", ""])
    let marks = chart(1.02).file().matches(of: #/<circle class="s0" cx="([\d.]+)"/#).compactMap { Double($0.1) }
    let apart = chart(9).file().matches(of: #/<circle class="s0" cx="([\d.]+)"/#).compactMap { Double($0.1) }
    #expect(marks.count == 4 && apart.count == 4, "three points and one at the name")
    for (moved, place) in zip(marks.prefix(3), apart) { #expect(moved == place - 3) }
    // Names have room for their height.
    let names = try texts(chart(1.02).file()).filter { ["sqlite", "sqlite-queue", "plist"].contains($0.words) }
    #expect(names.count == 3)
    let heights = names.map(\.y).sorted()
    for (upper, lower) in zip(heights, heights.dropFirst()) { #expect(lower - upper >= 13.9) }
  }

  @Test func `marks on one spot are moved by at most their own size`() {
    let line = [(x: 10.0, y: 50.0), (x: 100.0, y: 50.0)]
    let three = Overlap([line, line, line])
    #expect(three.shifts == [[-6, -6], [0, 0], [6, 6]] && three.above == [2, 1, 0])
    let five = Overlap(Array(repeating: line, count: 5))
    #expect(five.shifts.joined().allSatisfy { abs($0) <= 6 })
    // One common point is a crossing, no common way.
    let crossing = Overlap([line, [(10, 50), (100, 90)]])
    #expect(crossing.shifts == [[-3, 0], [3, 0]] && crossing.above == [0, 0])
  }

  /// The texts of a picture with their places.
  private func texts(_ svg: String) throws -> [(words: String, x: Double, y: Double)] {
    svg.matches(of: #/<text x="([\d.-]+)" y="([\d.-]+)"[^>]*>([^<]*)</#).map { match in
      (String(match.3), Double(match.1) ?? .nan, Double(match.2) ?? .nan)
    }
  }

  @Test func `coordinates have at most one decimal`() {
    #expect([0, 1.04, -0.06, 12.35, 100].map(Canvas.text) == ["0", "1", "-0.1", "12.4", "100"])
  }
}
