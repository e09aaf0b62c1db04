@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The panels of lists that follow saves and of words in texts: where they are, and where they are not.
@Suite struct ListAndTextTests {
  private static func trials(
    _ workload: String, _ backend: String = "sqlite", time: Double, findings: [Finding] = []
  ) -> (cell: Cell, trials: [Trial]) {
    let cell = Cell(
      backend: Spec(id: backend), workload: Spec(verbatim: workload), records: 1_000,
      durability: workload.contains("find-text") && !workload.contains("save") ? nil : .shipped)
    var cost = Cost(countedOperations: 10)
    cost.statements = 110
    cost.bytesWrittenSettled = 40_000
    var counted = Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
    counted.findings = findings
    let timed = (1...6).map { round in
      let typical = time * (1 + 0.001 * Double(round))
      return Trial(
        cell: cell, pass: .timed, round: round, position: 1, started: Double(round), wall: 1, status: .ok,
        timing: Timing(
          operations: 100, elapsed: Int64(typical * 100), cpu: 1_000, min: Int64(typical), max: Int64(typical * 2),
          p25: typical, p50: typical, histogram: HistogramText([(value: UInt64(typical), count: 100)]).text, clock: 25))
    }
    return (cell, timed + [counted])
  }

  private static func section(_ id: String, _ rows: [(cell: Cell, trials: [Trial])]) throws -> Section? {
    let plan = Plan(
      seed: 1, rounds: 6, cells: rows.map { PlannedCell(cell: $0.cell, level: nil, engineVersion: "e") })
    return try SampleRun.withModel(plan: plan, trials: rows.flatMap(\.trials)) { model, _ in
      RunReport(model).document.sections.first { $0.id == id }
    }
  }

  private static let decoded = [
    Finding("rows_decoded_per_save", 10_000, .first), Finding("false_wakes_per_save", 0, .first),
  ]

  @Test func `ten lists are held against none`() throws {
    let alone = Self.trials("live-list:observers=0", time: 100_000)
    let ten = Self.trials("live-list:observers=10", time: 1_000_000, findings: Self.decoded)
    let section = try #require(try Self.section("lists", [alone, ten]))
    let table = try #require(section.tables.first)
    #expect(table.rows.count == 2)
    let row = table.rows[1].map(\.words.text)
    #expect(row[3] == "10" && row[5] == "10x" && row[6] == "11" && row[7] == "10,000" && row[8] == "0", "\(row)")
    #expect(table.rows[0][5] == .unmeasured && table.rows[0][7] == .unmeasured)
    #expect(section.lead.count == 1 && section.lead[0].text.contains("takes 10x as long as with none"))
    // Nothing to hold it against: the table stands, the sentence does not.
    let only = try #require(try Self.section("lists", [ten]))
    #expect(only.lead.isEmpty && only.tables[0].rows[0][5] == .unmeasured)
    // Another kind of edit is no base.
    let moved = Self.trials("live-list:observers=10:edit=move", time: 1_000_000)
    #expect(try #require(try Self.section("lists", [alone, moved])).lead.isEmpty)
  }

  @Test func `the answer tells of lists, and what the run has not measured`() throws {
    let alone = Self.trials("live-list:observers=0", time: 100_000)
    let ten = Self.trials("live-list:observers=10", time: 1_000_000, findings: Self.decoded)
    func answer(_ rows: [(cell: Cell, trials: [Trial])]) throws -> [String] {
      try #require(try Self.section("answer", rows)).lists.flatMap { $0.items.map(\.text) }
    }
    let told = try answer([alone, ten])
    #expect(told.contains { $0.hasPrefix("With ten lists on the screen a save of sqlite") })
    let missing = try #require(
      told.last { $0.hasPrefix("How stores do after years of changes") })
    #expect(
      missing.contains("--memory 64MiB") && missing.contains("-w two-processes") && missing.contains("-w find-text"))
    #expect(!missing.contains("live-list"))
    let texts = ["find-text", "find-text:index=yes"].enumerated().map { place, name in
      Self.trials(name, time: place == 0 ? 900_000 : 100_000)
    }
    let both = try answer([alone, ten] + texts)
    #expect(both.contains { $0.hasPrefix("Looking at every text takes 9") })
    #expect(both.last?.contains("find-text") == false)
    #expect(!told.contains { $0.contains("Looking at every text") })
  }

  @Test func `without lists nothing is said of them`() throws {
    #expect(try Self.section("lists", [Self.trials("live-list:observers=0", time: 100_000)]) == nil)
    #expect(try Self.section("lists", [Self.trials("save-one", time: 100_000)]) == nil)
  }

  @Test func `the index is held against the walk`() throws {
    let walk = Self.trials("find-text", time: 5_000_000)
    let index = Self.trials("find-text:index=yes", time: 50_000, findings: [Finding("index_bytes", 2_000_000, .first)])
    let section = try #require(try Self.section("texts", [walk, index]))
    #expect(section.lead.count == 1)
    #expect(section.lead[0].text.contains("Looking at every text takes 100x as long"), "\(section.lead[0].text)")
    #expect(section.lead[0].text.hasSuffix("the index takes 2.0 MB."), "\(section.lead[0].text)")
    #expect(section.tables[0].rows[1].last?.words.text == "2.0 MB")
    let save = Self.trials("find-text:do=save", time: 100_000)
    let kept = Self.trials("find-text:do=save:index=yes", time: 300_000)
    let both = try #require(try Self.section("texts", [walk, save, kept]))
    #expect(both.lead.count == 1 && both.lead[0].text.contains("take 3.0x as long"), "\(both.lead)")
    #expect(both.tables[0].rows.map { $0[6] == .unmeasured } == [true, false, false])
  }

  @Test func `without a search nothing is said of texts`() throws {
    #expect(try Self.section("texts", [Self.trials("find-text:do=save", time: 100_000)]) == nil)
    #expect(try Self.section("texts", [Self.trials("find-name", time: 100_000)]) == nil)
    #expect(try #require(try Self.section("texts", [Self.trials("find-text", time: 9_000)])).lead.isEmpty)
  }
}
