import Foundation
@testable import TestSupport
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
