import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The panel of laws that break.
@Suite struct BreakTests {
  private static let sizes = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]

  /// A series of counts: the bytes that a save writes, and files that grow with the records.
  private static func section(_ sizes: [Int], _ bytes: (Int) -> Int) throws -> Section? {
    let trials = sizes.map { size -> Trial in
      let cell = Cell(
        backend: Spec(id: "sqlite"), workload: Spec(id: "insert-one"), records: size, durability: .shipped)
      var cost = Cost(countedOperations: 1)
      cost.bytesWrittenSettled = bytes(size)
      cost.fileBytes = size * 150
      return Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
    }
    let plan = Plan(
      seed: 1, rounds: 0, cells: trials.map { PlannedCell(cell: $0.cell, level: .durable, engineVersion: "e") })
    return try SampleRun.withModel(plan: plan, trials: trials) { model, _ in
      RunReport(model).document.sections.first { $0.id == "breaks" }
    }
  }

  @Test func `a level of a tree more is a step between two sizes`() throws {
    let section = try #require(try Self.section(Self.sizes) { $0 < 20_000 ? 12_288 : 16_384 })
    #expect(section.lead.map(\.text) == ["1 of 2 curves breaks: two laws fit better than one by more than chance."])
    #expect(
      section.lists.flatMap(\.items).map(\.text) == [
        "sqlite, insert-one, shipped: the bytes written take a step to 1.3x between 10,000 and 30,000 records, where the files have 2.6 MB."
      ])
    #expect(section.tables[0].rows.map { $0.last?.words.text } == ["~17,000 (10,000 to 30,000)", "none"])
  }

  @Test func `a bend is told with both laws`() throws {
    let section = try #require(
      try Self.section(Self.sizes) { Int(10_000 * max(1, (Double($0) / 30_000).squareRoot())) })
    let words = section.lists.flatMap(\.items).map(\.text).joined()
    #expect(words.contains("go with N^0.00 up to"))
    #expect(words.contains("and with N^0.50 beyond."))
  }

  @Test func `one law is one, and below six sizes nothing is said`() throws {
    let section = try #require(try Self.section(Self.sizes) { 100 + 2 * $0 })
    #expect(section.lists.flatMap(\.items).isEmpty)
    #expect(
      section.lead.map(\.text) == [
        "None of the 2 curves breaks: one law fits each as well as two, as far as chance can tell."
      ])
    #expect(try Self.section(Array(Self.sizes.prefix(5))) { $0 < 20_000 ? 12_288 : 16_384 } == nil)
  }
}
