import Foundation
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Rules for the figures of any run, checked with the committed one.
@Suite struct ExampleRunTests {
  @Test func `the figures of a cell agree with each other`() throws {
    let model = try ReportModel(reading: ReportFiles.run)
    let timed = model.rows.filter { $0.p50 != nil }
    #expect(timed.count > 40)
    #expect(timed.contains { $0.isBatched } && timed.contains { $0.p999 != nil })
    for row in timed {
      let p50 = try #require(row.p50)
      if let interval = row.p50Interval { #expect(interval.low <= p50 && p50 <= interval.high, "\(row.cell.name)") }
      // Percentiles grow from the median to the maximum.
      let tail = [p50, row.p90, row.p99, row.p999, row.max].compactMap { $0 }
      #expect(tail == tail.sorted(), "\(row.cell.name): \(tail)")
      #expect(row.p90 != nil || (row.p99 == nil && row.p999 == nil) || row.isBatched, "\(row.cell.name)")
    }
  }

  @Test func `the ratio of two rows is one number in every place`() throws {
    let model = try ReportModel(reading: ReportFiles.run)
    let json = try JSONSerialization.jsonObject(with: Data(try JSONFormat().text(RunReport(model)).utf8))
    let winners = try #require((json as? [String: Any])?["winners"] as? [[String: Any]])
    let sentences = VerdictSentences.winners(model.groups).map(\.text).joined(separator: "\n")
    let terminal = TerminalWriter.text(model.document)
    // The terminal's table of durable saves is of the largest number of records.
    let largest = model.rows.filter { $0.cell.durability == .durable }.map(\.cell.records).max()
    var checked = 0
    for group in model.groups {
      guard let (leaders, found) = group.contest.decision, let next = found else { continue }
      let factor = next.slower.ratio
      #expect(RowComparison.factor(base: leaders[0].member, head: next.member) == factor)
      let section = try #require(MatrixTable.all([group]).first)
      let field = section.field(group, next.member.cell.backend)
      #expect(field.ratio == factor, "\(group.title)")
      let winner = try #require(winners.first { $0["question"] as? String == group.title })
      #expect((winner["slower"] as? Double).map { abs($0 / factor - 1) < 1e-9 } == true, "\(group.title)")
      #expect(sentences.contains(Phrases.factor(next.slower)), "\(group.title)")
      if group.durability == .durable, next.member.cell.records == largest {
        #expect(terminal.contains(" \(NumberFormat.ratio(factor))"), "\(group.title)")
      }
      checked += 1
    }
    #expect(checked >= 5)
  }
}
