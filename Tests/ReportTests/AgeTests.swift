@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The section on the age of stores.
@Suite struct AgeTests {
  private static func cell(_ backend: String, _ workload: String, aged: Int) -> Cell {
    Cell(backend, workload, durability: workload == "save-one" ? .shipped : nil, aged: aged)
  }

  /// The section of a run. A cell's time is in units of 100 µs, its file size in kilobytes.
  private static func section(
    _ cells: [(cell: Cell, time: Double, file: Int)], rounds: Int = 6, status: Status = .ok
  ) throws -> Section? {
    let plan = changed(Plan(of: cells.map(\.cell), level: nil, rounds: rounds)) {
      $0.workloads = SampleRun.plan.workloads
    }
    let trials = cells.flatMap { cell, factor, file in
      var counted = SampleRun.counted(cell)
      counted.cost?.fileBytes = file * 1_000
      counted.status = cell.aged > 0 ? status : .ok
      if cell.backend.id == "sqlite" {
        counted.findings = [
          Finding("page_count", 400, .first), Finding("fragmentation", cell.aged > 0 ? 0.98 : 0, .first),
        ]
      }
      return [counted]
        + (1...rounds).map { round in
          Trial.uniform(cell, round: round, 100_000 * factor * (1 + 0.01 * Double(round % 3)))
        }
    }
    return try SampleRun.section("age", plan: plan, trials: trials)
  }

  @Test func `differences are listed with their intervals, backend by backend`() throws {
    let section = try #require(
      try Self.section([
        (Self.cell("sqlite", "read-one", aged: 0), 1, 1_000), (Self.cell("sqlite", "read-one", aged: 10), 1.4, 1_800),
        (Self.cell("sqlite", "save-one", aged: 0), 1, 1_000), (Self.cell("sqlite", "save-one", aged: 10), 1.01, 1_000),
        (Self.cell("plist", "read-one", aged: 0), 1, 2_000), (Self.cell("plist", "read-one", aged: 10), 1, 2_000),
      ]))
    // The save and plist are about equal.
    #expect(
      section.sentences == [
        "sqlite: After 10 × N changes, with 10,000 records, a read takes 1.40× (1.40-1.40) as long and the file is 1.8× as large."
      ])
    let table = try #require(section.tables.first)
    #expect(table.rows.count == 3)
    #expect(
      table.texts[0] == [
        "sqlite", "read-one, after 10 × N changes", "10,000", "101 µs", "141 µs", "1.40× (1.40-1.40)", "1.0 MB",
        "1.8 MB", "1.8×",
      ])
    #expect(table.rows[2][5].words.text == "1.00× (1.00-1.00)")
    // An engine without findings has no line.
    #expect(
      section.tables[1].texts == [
        ["sqlite", "10,000", "young", "400", "-", "0.0 %", "-", "-"],
        ["sqlite", "10,000", "after 10 × N changes", "400", "-", "98 %", "-", "-"],
      ])
  }

  @Test func `a missing row gives no sentence, and fewer than six rounds none for certain`() throws {
    let (young, aged) = (Self.cell("sqlite", "read-one", aged: 0), Self.cell("sqlite", "read-one", aged: 10))
    #expect(try Self.section([(young, 1, 1_000)]) == nil)
    #expect(try Self.section([(aged, 1, 1_000)]) == nil)
    #expect(try Self.section([(young, 1, 1_000), (aged, 2, 1_000)], status: .failed) == nil)
    // Another workload's young row is no pair, nor is another backend's.
    #expect(try Self.section([(Self.cell("sqlite", "save-one", aged: 0), 1, 1), (aged, 2, 1)]) == nil)
    #expect(try Self.section([(Self.cell("lmdb", "read-one", aged: 0), 1, 1), (aged, 2, 1)]) == nil)
    let few = try #require(try Self.section([(young, 1, 1_000), (aged, 2, 1_020)], rounds: 3))
    #expect(few.lists.isEmpty)
    #expect(few.tables.first?.rows.first?[5].words.text == "2.0×")
  }

  @Test func `each age has a separate sentence`() throws {
    let cells = [0, 1, 10].map { Self.cell("sqlite", "read-one", aged: $0) }
    let section = try #require(try Self.section([(cells[0], 1, 1_000), (cells[1], 1.2, 1_200), (cells[2], 2, 2_000)]))
    let sentences = section.sentences
    #expect(sentences.count == 2)
    #expect(sentences[0].contains("After 1 × N changes") && sentences[0].contains("1.20× (1.20-1.20) as long"))
    #expect(sentences[1].contains("After 10 × N changes") && sentences[1].contains("2.00× (2.00-2.00) as long"))
  }
}
