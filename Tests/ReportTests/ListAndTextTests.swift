@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The sections on lists that follow saves and on words in texts.
@Suite struct ListAndTextTests {
  private static func trials(_ workload: String, time: Double, findings: [Finding] = []) -> [Trial] {
    let isRead = workload.contains("find-text") && !workload.contains("save")
    let cell = Cell("sqlite", workload, records: 1_000, durability: isRead ? nil : .shipped)
    var counted = Trial.counted(cell, operations: 10) { ($0.statements, $0.bytesWrittenSettled) = (110, 40_000) }
    counted.findings = findings
    let timed = (1...6).map { Trial.uniform(cell, round: $0, time * (1 + 0.001 * Double($0)), operations: 100) }
    return timed + [counted]
  }

  /// A section of a run with the trials of several cells.
  private static func section(_ id: String, _ cells: [[Trial]]) throws -> Section? {
    try SampleRun.section(id, plan: Plan(of: cells.map { $0[0].cell }, level: nil), trials: cells.flatMap(\.self))
  }

  private let alone = trials("live-list:observers=0", time: 100_000)
  private let ten = trials(
    "live-list:observers=10", time: 1_000_000,
    findings: [Finding("rows_decoded_per_save", 10_000, .first), Finding("false_wakes_per_save", 0, .first)])

  @Test func `ten lists are compared with none`() throws {
    let section = try #require(try Self.section("lists", [alone, ten]))
    let table = try #require(section.tables.first)
    #expect(table.rows.count == 2)
    let row = table.rows[1].map(\.words.text)
    #expect(row[3] == "10" && row[5] == "10×" && row[6] == "11" && row[7] == "10,000" && row[8] == "0", "\(row)")
    #expect(table.rows[0][5] == .unmeasured && table.rows[0][7] == .unmeasured)
    #expect(section.lead.count == 1 && section.lead[0].text.contains("takes 10× as long as with none"))
    // Without a base there is a table, but no sentence.
    let only = try #require(try Self.section("lists", [ten]))
    #expect(only.lead.isEmpty && only.tables[0].rows[0][5] == .unmeasured)
    let moved = Self.trials("live-list:observers=10:edit=move", time: 1_000_000)
    #expect(try #require(try Self.section("lists", [alone, moved])).lead.isEmpty)
  }

  @Test func `the answer has lists and texts, and names what the run has not measured`() throws {
    func answer(_ cells: [[Trial]]) throws -> [String] {
      try #require(try Self.section("answer", cells)).sentences
    }
    let told = try answer([alone, ten])
    #expect(told.contains { $0.hasPrefix("With ten lists on the screen a save of sqlite") })
    let missing = try #require(told.last { $0.hasPrefix("How stores do after years of changes") })
    #expect(
      missing.contains("--memory 64MiB") && missing.contains("-w two-processes") && missing.contains("-w find-text"))
    #expect(!missing.contains("live-list"))
    let texts = [Self.trials("find-text", time: 900_000), Self.trials("find-text:index=yes", time: 100_000)]
    let both = try answer([alone, ten] + texts)
    #expect(both.contains { $0.hasPrefix("Looking at every text takes 9") })
    #expect(both.last?.contains("find-text") == false)
    #expect(!told.contains { $0.contains("Looking at every text") })
  }

  @Test func `the index is compared with the walk`() throws {
    let walk = Self.trials("find-text", time: 5_000_000)
    let index = Self.trials("find-text:index=yes", time: 50_000, findings: [Finding("index_bytes", 2_000_000, .first)])
    let section = try #require(try Self.section("texts", [walk, index]))
    #expect(section.lead.count == 1)
    #expect(section.lead[0].text.contains("Looking at every text takes 100× as long"), "\(section.lead[0].text)")
    #expect(section.lead[0].text.hasSuffix("the index takes 2.0 MB."), "\(section.lead[0].text)")
    #expect(section.tables[0].rows[1].last?.words.text == "2.0 MB")
    let save = Self.trials("find-text:do=save", time: 100_000)
    let kept = Self.trials("find-text:do=save:index=yes", time: 300_000)
    let both = try #require(try Self.section("texts", [walk, save, kept]))
    #expect(both.lead.count == 1 && both.lead[0].text.contains("take 3.0× as long"), "\(both.lead)")
    #expect(both.tables[0].rows.map { $0[6] == .unmeasured } == [true, false, false])
  }

  @Test func `without lists or a search there is no section, and without an index no sentence`() throws {
    #expect(try Self.section("lists", [alone]) == nil)
    #expect(try Self.section("lists", [Self.trials("save-one", time: 100_000)]) == nil)
    #expect(try Self.section("texts", [Self.trials("find-text:do=save", time: 100_000)]) == nil)
    #expect(try Self.section("texts", [Self.trials("find-name", time: 100_000)]) == nil)
    #expect(try #require(try Self.section("texts", [Self.trials("find-text", time: 9_000)])).lead.isEmpty)
  }
}
