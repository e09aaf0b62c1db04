@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The section on breakpoints of growth.
@Suite struct BreakTests {
  private static let sizes = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]

  /// The section of a run in which saves write the given bytes, and the files grow with the records.
  private static func section(_ sizes: [Int], _ bytes: (Int) -> Int) throws -> Section? {
    let trials = sizes.map { size in
      Trial.counted(Cell("sqlite", "insert-one", records: size)) {
        $0.bytesWrittenSettled = bytes(size)
        $0.fileBytes = size * 150
      }
    }
    return try SampleRun.section(
      "breaks", plan: Plan(of: trials.map(\.cell), level: .durable, rounds: 0), trials: trials)
  }

  @Test func `one more level of a tree is a step between two sizes`() throws {
    let section = try #require(try Self.section(Self.sizes) { $0 < 20_000 ? 12_288 : 16_384 })
    #expect(section.lead.map(\.text) == ["1 of 2 curves breaks: two laws fit better than one by more than chance."])
    #expect(
      section.sentences == [
        "sqlite, insert-one, shipped: the bytes written take a step to 1.3× between 10,000 and 30,000 records, where the files have 2.6 MB."
      ])
    #expect(section.tables[0].texts.map(\.last) == ["~17,000 (10,000 to 30,000)", "none"])
  }

  @Test func `a bend is shown with both laws`() throws {
    let section = try #require(
      try Self.section(Self.sizes) { Int(10_000 * max(1, (Double($0) / 30_000).squareRoot())) })
    let words = section.sentences.joined()
    #expect(words.contains("go with N^0.00 up to"))
    #expect(words.contains("and with N^0.50 beyond."))
  }

  @Test func `one law is one, and fewer than six sizes show no break`() throws {
    let section = try #require(try Self.section(Self.sizes) { 100 + 2 * $0 })
    #expect(section.sentences.isEmpty)
    #expect(
      section.lead.map(\.text) == [
        "None of the 2 curves breaks: one law fits each as well as two, as far as chance can tell."
      ])
    #expect(try Self.section(Array(Self.sizes.prefix(5))) { $0 < 20_000 ? 12_288 : 16_384 } == nil)
  }
}
