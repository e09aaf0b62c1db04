import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Pairs of rows that differ in one option.
@Suite struct PairTests {
  /// A run of a backend and of a slower variant that takes `factor` times as long.
  private func run(_ slower: Cell, _ faster: Cell, factor: Double, rounds: Int = 6) -> (Plan, [Trial]) {
    let trials = (1...rounds).flatMap { round -> [Trial] in
      let time = 100_000 * (1 + 0.01 * Double(round % 3))
      return [.uniform(slower, round: round, time * factor), .uniform(faster, round: round, time)]
    }
    let plan = Plan(of: [slower, faster], rounds: rounds)
    return (plan, trials + [SampleRun.counted(slower), SampleRun.counted(faster)])
  }

  private let fresh = SampleRun.save(Spec(verbatim: "sqlite:statements=fresh"), 1_000)
  private let cached = SampleRun.save(SampleRun.sqlite, 1_000)

  @Test func `both rows of a pair are shown with their ratio in every report`() throws {
    let (plan, trials) = run(fresh, cached, factor: 3)
    try SampleRun.withModel(plan: plan, trials: trials) { model, url in
      let pairing = try #require(RowPairing.all(in: model.rows).first)
      #expect(pairing.comparison?.verdict == .slower)
      #expect(pairing.ratio == "3.00× (3.00-3.00)")
      #expect(pairing.sharedWords == "sqlite, save-one, 1,000 records, shipped")
      let section = try #require(model.section("pairs"))
      let fields = try #require(section.tables.first?.texts.first)
      #expect(fields[0] == "statements prepared anew against cached")
      #expect(fields[2] == "sqlite:statements=fresh" && fields[4] == "sqlite")
      #expect(fields[6] == "3.00× (3.00-3.00)")
      #expect(fields[7] == "4" && fields[8] == "4")
      #expect(section.sentences.count == 1)
      let terminal = TerminalWriter.text(model.document)
      #expect(terminal.contains("3.00× (3.00-3.00) statements prepared anew against cached"))
      for line in terminal.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
      try model.write(formats: [.markdown(), .html, .json])
      #expect(try url.text("report.json").contains("\"slower\" : \"sqlite:statements=fresh/save-one/1000/shipped\""))
      for file in ["report.md", "report.html"] {
        let text = try url.text(file)
        #expect(text.contains("statements prepared anew against cached"), "\(file)")
        #expect(text.contains("3.00× (3.00-3.00)"), "\(file)")
      }
    }
  }

  @Test func `equal rows say so, few rounds have no interval, other rows are no pair`() throws {
    func pairings(_ slower: Cell, _ faster: Cell, factor: Double, rounds: Int = 6) throws -> ([RowPairing], Section?) {
      let (plan, trials) = run(slower, faster, factor: factor, rounds: rounds)
      return try SampleRun.withModel(plan: plan, trials: trials) { model, _ in
        (RowPairing.all(in: model.rows), model.section("pairs"))
      }
    }
    let same = try pairings(fresh, cached, factor: 1.01)
    #expect(same.0.count == 1 && same.0[0].comparison?.verdict.isDifference == false)
    #expect(same.1?.sentences.first?.hasPrefix("1.01× (1.01-1.01) ") == true)
    let few = try pairings(fresh, cached, factor: 3, rounds: 2)
    #expect(few.0[0].comparison == nil && few.0[0].ratio == "3.0×")
    // Another size, another level or another option differs, too.
    for other in [
      SampleRun.save(SampleRun.sqlite, 100), SampleRun.save(SampleRun.sqlite, 1_000, .durable),
      SampleRun.save(Spec(verbatim: "sqlite:journal=wal"), 1_000),
    ] { #expect(try pairings(fresh, other, factor: 3).0.isEmpty, "\(other.name)") }
    #expect(try pairings(fresh, cached, factor: 3).1?.tables.count == 1)
  }

  @Test func `ways that leave the backend open pair rows of one backend`() throws {
    func importing(_ backend: Spec, _ workload: String) -> Cell {
      Cell(backend: backend, workload: Spec(verbatim: workload), records: 4, durability: .shipped)
    }
    let cells = [SampleRun.sqlite, SampleRun.lmdb].flatMap {
      [importing($0, "import:batch=1"), importing($0, "import")]
    }
    try SampleRun.withModel(plan: Plan(of: cells), trials: cells.map(SampleRun.counted)) { model, _ in
      let pairings = RowPairing.all(in: model.rows)
      #expect(pairings.map(\.slower.cell) == [cells[0], cells[2]])
      #expect(pairings.map(\.faster.cell) == [cells[1], cells[3]])
      // Nothing was timed, so there is no ratio, but the syncs are side by side.
      #expect(pairings.allSatisfy { $0.ratio == nil })
      let section = try #require(model.section("pairs"))
      #expect(section.lists.isEmpty && section.tables[0].texts[0].contains("-"))
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
