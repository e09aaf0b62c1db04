import Foundation
@testable import SampleRuns
import Shapes
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Pairs of rows that differ in one option, and the shapes that others have found.
@Suite struct PairTests {
  /// Rows of a backend and of a slower variant of it that takes `factor` times as long.
  private func run(_ slower: Cell, _ faster: Cell, factor: Double, rounds: Int = 6) -> (Plan, [Trial]) {
    let cells = [slower, faster].map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") }
    let trials = (1...rounds).flatMap { round in
      [slower, faster].map { cell in
        var trial = SampleRun.timed(cell, round: round)
        let time = 100_000 * (cell == slower ? factor : 1) * (1 + 0.01 * Double(round % 3))
        trial.timing?.p25 = time
        trial.timing?.p50 = time
        trial.timing?.histogram = HistogramText([(value: UInt64(time), count: 10)]).text
        return trial
      }
    }
    return (Plan(rounds: rounds, cells: cells), trials + [SampleRun.counted(slower), SampleRun.counted(faster)])
  }

  private let fresh = SampleRun.save(Spec(verbatim: "sqlite:statements=fresh"), 1_000)
  private let cached = SampleRun.save(SampleRun.sqlite, 1_000)

  @Test func `both rows of a pair are shown with their ratio in every report`() throws {
    let (plan, trials) = run(fresh, cached, factor: 3)
    try SampleRun.withModel(plan: plan, trials: trials) { model, url in
      let pairing = try #require(RowPairing.all(in: model.rows).first)
      #expect(pairing.comparison?.verdict == .slower)
      #expect(pairing.ratio == "3.00x (3.00-3.00)")
      #expect(pairing.place == "sqlite, save-one, 1,000 records, shipped")
      let section = try #require(RunReport(model).document.sections.first { $0.id == "pairs" })
      let fields = try #require(section.tables.first?.rows.first).map(\.words.text)
      #expect(fields[0] == "statements prepared anew against cached")
      #expect(fields[2] == "sqlite:statements=fresh" && fields[4] == "sqlite")
      #expect(fields[6] == "3.00x (3.00-3.00)")
      #expect(fields[7] == "4" && fields[8] == "4")
      #expect(section.lists.flatMap(\.items).count == 1)
      let terminal = TerminalWriter.text(RunReport(model).document)
      #expect(terminal.contains("3.00x (3.00-3.00) statements prepared anew against cached"))
      for line in terminal.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
      try model.write(formats: [MarkdownFormat(), HTMLFormat(), JSONFormat()])
      let json = try String(contentsOf: url.appendingPathComponent("report.json"), encoding: .utf8)
      #expect(json.contains("\"slower\" : \"sqlite:statements=fresh/save-one/1000/shipped\""))
      for file in ["report.md", "report.html"] {
        let text = try String(contentsOf: url.appendingPathComponent(file), encoding: .utf8)
        #expect(text.contains("statements prepared anew against cached"), "\(file)")
        #expect(text.contains("3.00x (3.00-3.00)"), "\(file)")
      }
    }
  }

  @Test func `equal rows say so, few rounds have no interval, other rows are no pair`() throws {
    func pairings(_ slower: Cell, _ faster: Cell, factor: Double, rounds: Int = 6) throws -> ([RowPairing], Section?) {
      let (plan, trials) = run(slower, faster, factor: factor, rounds: rounds)
      return try SampleRun.withModel(plan: plan, trials: trials) { model, _ in
        (RowPairing.all(in: model.rows), RunReport(model).document.sections.first { $0.id == "pairs" })
      }
    }
    let same = try pairings(fresh, cached, factor: 1.01)
    #expect(same.0.count == 1 && same.0[0].comparison?.verdict.isDifference == false)
    #expect(same.1?.lists.flatMap(\.items).map(\.text).first?.hasPrefix("1.01x (1.01-1.01) ") == true)
    let few = try pairings(fresh, cached, factor: 3, rounds: 2)
    #expect(few.0[0].comparison == nil && few.0[0].ratio == "3.0x")
    // Another size, another level, another option: not only one thing differs.
    #expect(try pairings(fresh, SampleRun.save(SampleRun.sqlite, 100), factor: 3).0.isEmpty)
    #expect(try pairings(fresh, SampleRun.save(SampleRun.sqlite, 1_000, .durable), factor: 3).0.isEmpty)
    #expect(try pairings(fresh, SampleRun.save(Spec(verbatim: "sqlite:journal=wal"), 1_000), factor: 3).0.isEmpty)
    #expect(try pairings(fresh, cached, factor: 3).1?.tables.count == 1)
  }

  @Test func `ways that leave the backend open pair rows of one backend`() throws {
    func importing(_ backend: Spec, _ workload: String) -> Cell {
      Cell(backend: backend, workload: Spec(verbatim: workload), records: 4, durability: .shipped)
    }
    let cells = [SampleRun.sqlite, SampleRun.lmdb].flatMap {
      [importing($0, "import:batch=1"), importing($0, "import")]
    }
    let plan = Plan(rounds: 6, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") })
    try SampleRun.withModel(plan: plan, trials: cells.map(SampleRun.counted)) { model, _ in
      let pairings = RowPairing.all(in: model.rows)
      #expect(pairings.map(\.slower.cell) == [cells[0], cells[2]])
      #expect(pairings.map(\.faster.cell) == [cells[1], cells[3]])
      // Nothing was timed, so there is no ratio, but the syncs stand side by side.
      #expect(pairings.allSatisfy { $0.ratio == nil })
      #expect(RunReport(model).document.sections.first { $0.id == "pairs" }?.lists.isEmpty == true)
      let row = try #require(RunReport(model).document.sections.first { $0.id == "pairs" }?.tables[0].rows[0])
      #expect(row.map(\.words.text).contains("-"))
    }
  }

  @Test func `every pair names two ways`() {
    for pair in RowPairs.all {
      #expect(pair.slower != pair.faster, "\(pair.title)")
      #expect((pair.slower.backend == "*") == (pair.faster.backend == "*"), "\(pair.title)")
      #expect((pair.slower.workload == "*") == (pair.faster.workload == "*"), "\(pair.title)")
      #expect(pair.title.contains(" against "), "\(pair.title)")
    }
  }
}

@Suite struct ShapeTests {
  private func row(_ backend: String, _ workload: String, _ records: Int, _ durability: Durability?) -> SummaryRow {
    SummaryRow(
      cell: Cell(
        backend: Spec(verbatim: backend), workload: Spec(verbatim: workload), records: records, durability: durability),
      machine: "m", run: "r", level: nil, engineVersion: "1", fidelity: .native, seed: 1)
  }

  private func saves(_ backend: String, _ bytes: (Int) -> Int, file: (Int) -> Int) -> [SummaryRow] {
    [100, 1_000, 10_000].map { size in
      var row = row(backend, "save-one", size, .shipped)
      var cost = Cost(countedOperations: 10)
      cost.bytesWritten = bytes(size) * 10
      cost.bytesWrittenSettled = bytes(size) * 10
      cost.fileBytes = file(size)
      cost.syncs = 40
      row.cost = cost
      return row
    }
  }

  private func look(_ name: String, _ rows: [SummaryRow]) throws -> Reproduction {
    try #require(Shape.all.first { $0.name == name }).look(Evidence(rows))
  }

  private func isFound(_ finding: Reproduction) -> Bool { if case .found = finding { true } else { false } }
  private func isMissed(_ finding: Reproduction) -> Bool { if case .notFound = finding { true } else { false } }

  @Test func `whole files are told from pages`() throws {
    let wholeFile = ["plist", "archive", "defaults"].flatMap { saves($0, { $0 * 250 }, file: { $0 * 250 }) }
    let pages = ["sqlite", "sqlite-queue", "object-graph", "lmdb"].flatMap {
      saves($0, { 12_000 + $0 / 40 }, file: { $0 * 160 })
    }
    #expect(isFound(try look("whole-file-rewrite", wholeFile)))
    #expect(isFound(try look("whole-file-growth", wholeFile)))
    #expect(isFound(try look("page-growth", pages)))
    // A whole-file store that writes a part of its file, and a page engine that writes all of it, are not what is claimed.
    let part = ["plist", "archive", "defaults"].flatMap { saves($0, { $0 * 200 }, file: { $0 * 250 }) }
    #expect(isMissed(try look("whole-file-rewrite", part)))
    let flat = ["plist", "archive", "defaults"].flatMap { saves($0, { _ in 12_000 }, file: { _ in 12_000 }) }
    #expect(isMissed(try look("whole-file-growth", flat)))
    let growing = ["sqlite", "sqlite-queue", "object-graph", "lmdb"].flatMap { saves($0, { $0 * 100 }, file: { $0 }) }
    #expect(isMissed(try look("page-growth", growing)))
  }

  @Test func `syncs are exact`() throws {
    func finding(_ syncs: Int, _ name: String, _ backend: String, _ durability: Durability) throws -> Reproduction {
      var row = row(backend, "save-one", 1_000, durability)
      row.cost = Cost(countedOperations: 2_000)
      row.cost?.syncs = syncs
      return try look(name, [row])
    }
    #expect(isFound(try finding(8_000, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isMissed(try finding(8_001, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isMissed(try finding(6_000, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isFound(try finding(10_000, "syncs-sqlite-delete-extra", "sqlite:journal=delete", .durable)))
    #expect(isFound(try finding(4_000, "syncs-lmdb", "lmdb", .shipped)))
    // Checkpoints add some to a write-ahead log's one.
    #expect(isFound(try finding(2_012, "syncs-sqlite-wal-full", "sqlite", .durable)))
    #expect(isMissed(try finding(1_990, "syncs-sqlite-wal-full", "sqlite", .durable)))
    #expect(isMissed(try finding(2_400, "syncs-sqlite-wal-full", "sqlite", .durable)))
  }

  private func timed(_ row: SummaryRow, _ time: Double) -> SummaryRow {
    var row = row
    row.rounds = Rounds(
      (1...6).map { round in
        let time = time * (1 + 0.01 * Double(round % 3))
        return (round, RoundTiming(typical: time, resolution: 20))
      })
    return row
  }

  @Test func `times need six rounds and a clear difference`() throws {
    let (lmdb, sqlite) = (row("lmdb", "read-one", 100_000, nil), row("sqlite", "read-one", 100_000, nil))
    #expect(isFound(try look("lmdb-reads", [timed(lmdb, 2_000), timed(sqlite, 6_000)])))
    #expect(isMissed(try look("lmdb-reads", [timed(lmdb, 2_000), timed(sqlite, 3_000)])))
    #expect(try look("lmdb-reads", [lmdb, sqlite]) == .notAsked("times are compared from 6 rounds on"))
    var failed = sqlite
    failed.status = .failed
    failed.note = "it crashed"
    #expect(
      try look("lmdb-reads", [timed(lmdb, 2_000), failed]) == .notFound("\(sqlite.cell.name) is failed: it crashed"))
    #expect(try look("lmdb-reads", [lmdb]) == .notAsked("the run has no sqlite/read-one/100000/-"))
  }

  @Test func `another order is found, the same one is not`() throws {
    let names = ["sqlite", "sqlite-queue", "object-graph", "lmdb", "plist"]
    func rows(_ durable: [Double]) -> [SummaryRow] {
      names.enumerated().flatMap { index, name in
        [
          timed(row(name, "save-one", 1_000, .shipped), Double(index + 1) * 1_000),
          timed(row(name, "save-one", 1_000, .durable), durable[index]),
        ]
      }
    }
    #expect(isMissed(try look("shipped-is-not-durable", rows([1_000, 2_000, 3_000, 4_000, 5_000]))))
    #expect(isFound(try look("shipped-is-not-durable", rows([2_000, 1_000, 3_000, 4_000, 5_000]))))
  }

  @Test func `four commits are four times the syncs`() throws {
    func rows(_ syncs: Int, _ factor: Double) -> [SummaryRow] {
      [("import:batch=1", syncs, factor), ("import", 4, 1)].map { workload, syncs, factor in
        var row = timed(row("sqlite", workload, 4, .shipped), 1_000_000 * factor)
        row.cost = Cost(countedOperations: 1)
        row.cost?.syncs = syncs
        return row
      }
    }
    #expect(isFound(try look("four-autocommits", rows(16, 3.5))))
    #expect(isMissed(try look("four-autocommits", rows(16, 1.5))))
    #expect(isMissed(try look("four-autocommits", rows(12, 3.5))))
  }

  @Test func `every shape says who claims it`() {
    #expect(Set(Shape.all.map(\.name)).count == Shape.all.count)
    for shape in Shape.all {
      #expect(shape.claim.hasSuffix(".") && shape.source.count > 15, "\(shape.name)")
      // Nothing is found where nothing was run.
      if case .notAsked = shape.look(Evidence([])) {} else { Issue.record("\(shape.name) is found in nothing") }
    }
  }
}
