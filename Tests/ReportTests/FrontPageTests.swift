@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The parts of the page that are shown before a tab is opened: each sentence and mark has a run with it and one without.
@Suite struct FrontPageTests {
  private func row(
    _ backend: String, _ time: Double, workload: String = "save-one", records: Int = 1_000, level: Level? = .intact,
    durability: Durability? = .shipped, disturbance: String? = nil, _ change: (inout Cell) -> Void = { _ in }
  ) -> SummaryRow {
    let cell = changed(Cell(backend, workload, records: records, durability: durability), change)
    var row = SummaryRow(cell, [1, 1.1, 0.9, 1, 1.05, 0.95].map { $0 * time }, level: level)
    (row.p50, row.disturbance) = (time, disturbance)
    return row.counting { ($0.bytesWrittenSettled, $0.fileBytes) = (Int(time), 100_000) }
  }

  private func model(
    _ rows: [SummaryRow], _ environment: MachineEnvironment = SampleRun.environment
  ) -> ReportModel {
    let words = [PlannedWorkload(name: "save-one", words: WorkloadWords("a save", .save, limit: .frame))]
    return ReportModel(rows: rows, plan: Plan(rounds: 6, cells: [], workloads: words), environment: environment)
  }

  private func absence(_ rows: [SummaryRow]) -> String? { ChoiceTable(model(rows)).absence(model(rows))?.text }

  @Test func `a missing recommendation has its reason, on the page and on the terminal`() {
    let (sqlite, lmdb) = (row("sqlite", 600_000), row("lmdb", 200_000))
    #expect(absence([sqlite, lmdb]) == nil)
    #expect(absence([sqlite]) == "No recommendation: only sqlite was measured, so there is no choice.")
    let disturbed = [row("sqlite", 600_000, disturbance: "x"), row("lmdb", 200_000, disturbance: "x")]
    let reason = "No recommendation: other work on the machine disturbed every save; run again when it is quiet."
    #expect(absence(disturbed) == reason)
    let most = disturbed + [row("archive", 9e9)]
    #expect(absence(most)?.contains("disturbed 2 of 3 rows of saves; run again") == true, "\(absence(most) ?? "none")")
    // The form of the page says the same.
    #expect(PageData.advice(model(most))?["absence"]?.value as? String == absence(most))
    #expect(PageData.advice(model([sqlite, lmdb])).map { $0["absence"] == nil } == true)
    #expect(absence([row("lmdb", 100, workload: "read-one", level: nil, durability: nil)]) == nil)
    let report = RunReport(model(disturbed))
    #expect(report.document.sections.first { $0.id == "answer" }?.lead.first?.text == reason)
    #expect(TerminalWriter.text(report.short, width: 200).contains(reason))
    #expect(!TerminalWriter.text(RunReport(model([sqlite, lmdb])).short, width: 200).contains("No recommendation"))
  }

  @Test func `a recommendation names the settings that differ from those as shipped`() {
    func words(_ settings: String) -> String? {
      let shipped = changed(row("sqlite", 600_000)) { $0.settings = "journal_mode=delete synchronous=2" }
      let durable = changed(row("sqlite", 100_000, level: .durable, durability: .durable)) { $0.settings = settings }
      return ChoiceTable(model([shipped, durable, row("lmdb", 900_000, level: .durable)])).changes?.text
    }
    let wal = "Settings: sqlite (durable): journal_mode=wal (not delete)"
    #expect(words("journal_mode=wal synchronous=2") == "\(wal) synchronous=FULL.")
    #expect(words("journal_mode=wal synchronous=1") == "\(wal) synchronous=NORMAL (not FULL).")
    #expect(words("journal_mode=wal synchronous=9") == "\(wal) synchronous=9 (not FULL).")
    #expect(words("journal_mode=wal synchronous=2 new=yes") == "\(wal) synchronous=FULL new=yes.")
    #expect(words("journal_mode=delete synchronous=2") == nil)
  }

  @Test func `a column of what else is fast enough is there only if something is`() throws {
    let (lmdb, sqlite) = (row("lmdb", 100_000, level: .durable), row("sqlite", 400_000))
    #expect(try #require(ChoiceTable(model([lmdb, sqlite])).brief).columns.count == 4)
    let grdb = row("sqlite-queue", 900_000)
    #expect(try #require(ChoiceTable(model([lmdb, sqlite, grdb])).brief).columns.last?.title == "also fast enough")
  }

  @Test func `more warnings than fit on the terminal are counted`() {
    func text(_ warnings: Int) -> String {
      let environment = changed(SampleRun.environment) { $0.warnings = (0..<warnings).map { "w\($0)." } }
      let model = model([row("sqlite", 600_000), row("lmdb", 200_000)], environment)
      return TerminalWriter.text(RunReport(model).short, width: 200)
    }
    #expect(!text(2).contains("more warning"))
    #expect(text(4).contains("2 more warnings in the report") && !text(4).contains("w2."))
  }

  @Test func `slow creation of files is explained on ext4 without a journal only`() {
    func page(_ journal: String?) -> String {
      var environment = SampleRun.environment
      environment.storage["journal"] = journal
      return MarkdownFormat.text(model([row("sqlite", 600_000)], environment).document)
    }
    let words = "Linux creates a file more slowly if many were deleted"
    #expect(page("none").contains(words))
    #expect(!page("yes").contains(words) && !page(nil).contains(words))
  }

  @Test func `the end of a quick run has at most 20 lines and one table of saves`() throws {
    let names = [
      "plist": "Property list (Linux)", "archive": "NSKeyedArchiver (Linux)", "defaults": "UserDefaults (Linux)",
      "sqlite": "SQLite", "sqlite-queue": "GRDB", "object-graph": "Core Data work-alike", "lmdb": "LMDB",
    ]
    let rows = names.sorted { $0.key < $1.key }.enumerated().flatMap { index, name in
      [100, 1_000, 10_000].map { records in
        changed(row(name.key, 111_000 * Double(1 + index * index), records: records)) { row in
          row.appearance = Appearance(name: name.value, mark: index)
          row.mean = row.p50.map { $0 * 1.2 }
        }
      }
    }
    func lines(_ width: Int) -> [Substring] {
      TerminalWriter.text(RunReport(model(rows)).short, width: width)
        .split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("One small save") } + []
    }
    // The names of two files share one more line.
    #expect(lines(100).count <= 20, "\(lines(100).joined(separator: "\n"))")
    for width in [80, 100] { #expect(lines(width).count { $0.contains("after a power cut") } == 1, "\(width)") }
    for name in names.values { #expect(lines(100).contains { $0.hasPrefix(name) }, "\(name)") }
  }

  private func strips(_ rows: [SummaryRow]) -> [IntervalChart] {
    model(rows).section("strips")?.charts.compactMap { $0 as? IntervalChart } ?? []
  }

  @Test func `a strip has one bar for each backend and level, the shortest first`() throws {
    let rows = [
      row("sqlite", 600_000), row("lmdb", 200_000), row("sqlite", 100_000, durability: .durable),
      // Another record size is another question.
      row("sqlite", 900_000) { $0.recordBytes = 10_000 },
    ]
    let save = try #require(strips(rows).first { $0.id == "strip-save" })
    #expect(save.rows.map(\.name) == ["sqlite (durable)", "lmdb", "sqlite"])
    #expect(save.band == nil && !save.note.contains("Shaded"))
    let slow = try #require(strips(rows + [row("plist", 20e6)]).first { $0.id == "strip-save" })
    #expect(slow.band?.upperBound == SizeLimit.frame && slow.note.contains("Shaded: under one frame"))
  }

  @Test func `bars have the marks of their rows`() throws {
    let rows = [
      row("sqlite", 600_000), row("lmdb", 200_000, disturbance: "x"),
      changed(row("plist", 300e6)) { $0.isTimedOnce = true },
      changed(row("text", 100_000)) { $0.fidelity = .emulated },
    ]
    let save = try #require(strips(rows).first { $0.id == "strip-save" })
    #expect(save.rows.map(\.text) == ["100 µs emulated", "200 µs disturbed", "600 µs", "300 ms ×1"])
  }

  @Test func `a launch is one to the first screen only if it was asked for`() {
    func title(_ workload: String) -> String? {
      let rows = ["sqlite", "lmdb"].flatMap {
        [row($0, 1e5), row($0, 1e6, workload: workload, level: nil, durability: nil)]
      }
      return strips(rows).first { $0.id == "strip-launch" }?.title
    }
    #expect(title("launch-warm:until=screen") == "Launching, until the first screen, 1,000 records")
    #expect(title("launch-warm") == "Launching, 1,000 records")
  }

  @Test func `only what the run has carries over to an iPhone`() {
    func text(_ backends: String...) -> String {
      model(backends.map { row($0, 600_000) }).section("iphone")?.lists.flatMap(\.items).map(\.text).joined() ?? ""
    }
    #expect(text("sqlite", "lmdb").contains("Bytes, writes and syncs") && !text("sqlite", "lmdb").contains("SwiftData"))
    #expect(text("plist", "object-graph").contains("SwiftData") && !text("plist").contains("Bytes, writes"))
  }
}
