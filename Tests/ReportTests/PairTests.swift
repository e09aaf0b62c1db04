import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Pairs of rows that differ in one option.
@Suite struct PairTests {
  /// A run of a backend and of a slower variant that takes `factor` times as long.
  private func model(_ slower: Cell, _ faster: Cell, factor: Double, rounds: Int = 6) throws -> ReportModel {
    let trials = (1...rounds).flatMap { round -> [Trial] in
      let time = 100_000 * (1 + 0.01 * Double(round % 3))
      return [.uniform(slower, round: round, time * factor), .uniform(faster, round: round, time)]
    }
    let plan = Plan(of: [slower, faster], rounds: rounds)
    return try SampleRun.model(plan: plan, trials: trials + [SampleRun.counted(slower), SampleRun.counted(faster)])
  }

  private let fresh = SampleRun.save(Spec(verbatim: "sqlite:statements=fresh"), 1_000)
  private let cached = SampleRun.save(SampleRun.sqlite, 1_000)

  @Test func `both rows of a pair are shown with their ratio in every report`() throws {
    let model = try model(fresh, cached, factor: 3)
    let pairing = try #require(RowPairing.all(in: model.rows).first)
    #expect(pairing.comparison?.verdict == .slower)
    #expect(pairing.ratio == "3.00× (3.00-3.00)")
    #expect(pairing.sharedWords == "sqlite, save-one, 1,000 records, shipped")
    let section = try #require(model.document.sections(for: .page).first { $0.id == "pairs" })
    #expect(section.tables.count == 1)
    let fields = try #require(section.tables.first?.texts.first)
    #expect(fields[0] == "statements prepared anew against cached")
    #expect(fields[2] == "sqlite:statements=fresh" && fields[4] == "sqlite")
    #expect(fields[6] == "3.00× (3.00-3.00)")
    #expect(fields[7] == "4" && fields[8] == "4")
    #expect(section.sentences.count == 1)
    let terminal = TerminalWriter.text(model.document)
    #expect(terminal.contains("3.00× (3.00-3.00) statements prepared anew against cached"))
    for line in terminal.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
    let json = try ReportFormat.json.text(RunReport(model))
    #expect(json.contains("\"slower\" : \"sqlite:statements=fresh/save-one/1000/shipped\""))
  }

  @Test func `equal rows say so, few rounds have no interval, other rows are no pair`() throws {
    let same = try model(fresh, cached, factor: 1.01)
    let pairings = RowPairing.all(in: same.rows)
    #expect(pairings.count == 1 && pairings[0].comparison?.verdict.isDifference == false)
    #expect(same.section("pairs")?.sentences.first?.hasPrefix("1.01× (1.01-1.01) ") == true)
    let few = RowPairing.all(in: try model(fresh, cached, factor: 3, rounds: 2).rows)
    #expect(few[0].comparison == nil && few[0].ratio == "3.0×")
    // Another size, another level or another option differs, too.
    for other in [
      SampleRun.save(SampleRun.sqlite, 100), SampleRun.save(SampleRun.sqlite, 1_000, .durable),
      SampleRun.save(Spec(verbatim: "sqlite:journal=wal"), 1_000),
    ] {
      let rows = try model(fresh, other, factor: 3).rows
      #expect(RowPairing.all(in: rows).isEmpty, "\(other.name)")
    }
  }

  @Test func `ways that leave the backend open pair rows of one backend`() throws {
    let cells = ["sqlite", "lmdb"].flatMap { backend in
      ["import:batch=1", "import"].map { Cell(backend, $0, records: 4) }
    }
    let model = try SampleRun.model(plan: Plan(of: cells), trials: cells.map(SampleRun.counted))
    let pairings = RowPairing.all(in: model.rows)
    #expect(pairings.map(\.slower.cell) == [cells[0], cells[2]])
    #expect(pairings.map(\.faster.cell) == [cells[1], cells[3]])
    // Nothing was timed, so there is no ratio, but the syncs are side by side.
    #expect(pairings.allSatisfy { $0.ratio == nil })
    let section = try #require(model.section("pairs"))
    #expect(section.lists.isEmpty && section.tables[0].texts[0].contains("-"))
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
