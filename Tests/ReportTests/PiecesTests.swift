import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// What keeps the report of thousands of cells small in memory: files are written piece by piece, and rows keep little.
@Suite struct PiecesTests {
  private struct Sample: Encodable {
    var aList: [[String: Double?]]
    var bMember: String?
    var cNone: String?
    var dEmpty: [Int] = []
    var eNested: [String: [Int]]
  }

  @Test(arguments: [JSONEncoder.OutputFormatting.sortedKeys, [.sortedKeys, .prettyPrinted]])
  func `an object written member by member is what the encoder writes of it`(
    _ formatting: JSONEncoder.OutputFormatting
  ) throws {
    let sample = Sample(
      aList: [["x": 1.5, "y": nil], [:], ["line\nend \" , }": 2]], bMember: "a\nb/\u{2028}<&\"", cNone: nil,
      eNested: ["k": [1, 2], "empty": []])
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    var text = ""
    var object = try JSONPieces(encoder) { text += $0 }
    try object.list("aList", sample.aList)
    try object.member("bMember", sample.bMember)
    try object.member("cNone", sample.cNone)
    try object.list("dEmpty", sample.dEmpty)
    try object.member("eNested", sample.eNested)
    try object.end()
    #expect(try text == String(decoding: encoder.encode(sample), as: UTF8.self))
  }

  /// The longest piece that a format hands out, in bytes, of a report of so many workloads.
  private func longest(_ format: any TextFormat, workloads: Int) throws -> (piece: Int, all: Int) {
    let cells = (1...workloads).flatMap { number in
      [SampleRun.plist, SampleRun.sqlite, SampleRun.lmdb].map { backend in
        Cell(backend: backend, workload: Spec(verbatim: "import:batch=\(number)"), records: 100, durability: .shipped)
      }
    }
    let plan = Plan(rounds: 6, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") })
    var builder = SummaryBuilder(plan: plan, machine: "abcd", run: "run")
    for cell in cells {
      for round in 1...6 { builder.add(SampleRun.timed(cell, round: round)) }
      builder.add(SampleRun.counted(cell))
    }
    let report = RunReport(
      ReportModel(
        directory: RunDirectory(path: "/nowhere"), plan: plan, environment: SampleRun.environment, rows: builder.rows,
        trials: cells.count * 7))
    var found = (piece: 0, all: 0)
    for file in try format.files(report) {
      try file.forEachPiece { piece in
        found = (max(found.piece, piece.utf8.count), found.all + piece.utf8.count)
      }
    }
    return found
  }

  @Test(arguments: ["json", "benchstat", "bencher"]) func `a piece does not grow with the cells`(_ id: String) throws {
    let format = try #require(ReportFormats.named([id])[0] as? any TextFormat)
    let (few, many) = try (longest(format, workloads: 10), longest(format, workloads: 60))
    #expect(many.all > 5 * few.all)
    #expect(many.piece < 2 * few.piece, "\(many) against \(few)")
  }

  @Test func `the page is never one text`() throws {
    let page = try longest(HTMLFormat(), workloads: 60)
    // Its longest section is more than half of this one.
    #expect(page.piece * 4 < page.all * 3, "\(page)")
  }

  @Test func `rounds are as a dictionary would have them`() {
    var (rounds, expected): (Rounds, [Int: RoundTiming]) = ([:], [:])
    // Every number comes up, out of order; some are set again, some are taken away.
    for step in 0..<200 {
      let round = step * 37 % 50
      let timing = step % 7 == 3 ? nil : RoundTiming(typical: Double(step), resolution: 1)
      rounds[round] = timing
      expected[round] = timing
      #expect(rounds.count == expected.count && rounds.keys == expected.keys.sorted())
    }
    for round in -1...51 { #expect(rounds[round] == expected[round]) }
    #expect(rounds.values == expected.sorted { $0.key < $1.key }.map(\.value))
    #expect(rounds == Rounds(expected.map { ($0, $1) }) && rounds.map(\.key) == rounds.keys && !rounds.isEmpty)
  }

  /// Which histograms are kept and which are shown are told in two places: where one were missing, the page would differ.
  @Test func `a page says the same as with all histograms`() throws {
    // Of plist the largest size was not timed, and of lmdb the largest two.
    let sizes = [(SampleRun.sqlite, [100, 1_000, 10_000]), (SampleRun.plist, [100, 1_000]), (SampleRun.lmdb, [100])]
    let cells = sizes.flatMap { backend, sizes in sizes.map { SampleRun.save(backend, $0) } }
    let plan = Plan(rounds: 6, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") })
    var builder = SummaryBuilder(plan: plan, machine: "abcd", run: "run")
    for (place, cell) in cells.enumerated() {
      for round in 1...6 {
        var trial = SampleRun.timed(cell, round: round)
        if place == 1 { trial.timing?.elapsed *= 3 }
        builder.add(trial)
      }
    }
    func page(_ rows: [SummaryRow]) -> String {
      HTMLFormat.text(
        RunReport(
          ReportModel(
            directory: RunDirectory(path: "/nowhere"), plan: plan, environment: SampleRun.environment, rows: rows,
            trials: cells.count * 6)
        ).document)
    }
    let all = plan.cells.indices.map(builder.row(at:))
    #expect(all.allSatisfy { $0.histogram != nil } && builder.rows.contains { $0.histogram == nil })
    #expect(page(builder.rows) == page(all))
    // The page shows some of them.
    #expect(
      page(all)
        != page(
          all.map { row in
            var row = row; row.histogram = nil; return row
          }))
  }

  @Test func `histograms are kept of the largest size and where the mean differs`() throws {
    let cells = [100, 1_000, 10_000].map { SampleRun.save(SampleRun.sqlite, $0) }
    let plan = Plan(rounds: 6, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") })
    func kept(slow: Int?) -> [Bool] {
      var builder = SummaryBuilder(plan: plan, machine: "abcd", run: "run")
      for (place, cell) in cells.enumerated() {
        for round in 1...6 {
          var trial = SampleRun.timed(cell, round: round)
          if place == slow { trial.timing?.elapsed *= 3 }
          builder.add(trial)
        }
      }
      return builder.rows.map { $0.histogram != nil }
    }
    #expect(kept(slow: nil) == [false, false, true])
    #expect(kept(slow: 0) == [true, false, true])
  }
}
