import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// Reports of thousands of cells take little time and memory: work is linear in the cells, and files are written piece by
/// piece.
@Suite(.serialized) struct LargeReportTests {
  /// A report of imports in this many batch sizes.
  private func report(workloads: Int, sizes: [Int] = [100]) -> RunReport {
    let cells = (1...workloads).flatMap { number in
      ["plist", "sqlite", "lmdb"].flatMap { backend in
        sizes.map { Cell(backend, "import:batch=\(number)", records: $0) }
      }
    }
    return RunReport(ReportModel(sampling: Plan(of: cells)))
  }

  @Test func `four times the cells are about four times the work`() throws {
    func write(_ workloads: Int) throws {
      let report = report(workloads: workloads, sizes: [100, 1_000])
      #expect(try !ReportFormat.html.text(report).isEmpty)
      #expect(!MarkdownFormat.text(report.document).isEmpty)
      #expect(try !ReportFormat.json.text(report).isEmpty)
    }
    try write(2)
    // Quadratic work would be 16 times as much.
    let ratio = try WorkGrowth.ratio(enough: 9) {
      try write(10)
    } to: {
      try write(40)
    }
    #expect(ratio < 9)
  }

  /// Returns the bytes of the longest piece of a format, and of all its pieces.
  private func longest(_ format: ReportFormat, workloads: Int) throws -> (piece: Int, all: Int) {
    var found = (piece: 0, all: 0)
    for file in try format.files!(report(workloads: workloads)) {
      try file.forEachPiece { piece in
        found = (max(found.piece, piece.utf8.count), found.all + piece.utf8.count)
      }
    }
    return found
  }

  @Test(arguments: ["json", "benchstat", "bencher"]) func `a piece does not grow with the cells`(_ id: String) throws {
    let format = try ReportFormats.named([id])[0]
    let (few, many) = try (longest(format, workloads: 10), longest(format, workloads: 60))
    #expect(many.all > 5 * few.all)
    #expect(many.piece < 2 * few.piece, "\(many) against \(few)")
  }

  @Test func `the page is never one text`() throws {
    let page = try longest(.html, workloads: 60)
    // Its longest section is more than half of this one.
    #expect(page.piece * 4 < page.all * 3, "\(page)")
  }

  @Test func `twenty thousand trials reach every format in seconds and little memory`() throws {
    let cells = (1...166).flatMap { size in [SampleRun.sqlite, SampleRun.lmdb].map { SampleRun.save($0, size * 100) } }
    let url = try SampleRun.write(plan: Plan(of: cells, rounds: 60), trials: [])
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let (encoder, count) = (JSONEncoder(), cells.count * 61)
    var lines = Data()
    for cell in cells {
      // The lines of a cell differ only in the round. Encoding each would take longer than the report.
      let line = try String(decoding: encoder.encode(SampleRun.timed(cell, round: 99)), as: UTF8.self)
      for round in 1...60 { lines += Data(line.replacing("\"round\":99", with: "\"round\":\(round)").utf8) + [0x0A] }
      lines += try encoder.encode(SampleRun.counted(cell)) + [0x0A]
    }
    try lines.write(to: url.appendingPathComponent("trials.jsonl"))
    #expect(count > 20_000)
    lines = Data()

    var model: ReportModel?
    // The kernel's record of the highest resident size begins anew here.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let memory = try Self.kilobytes("VmRSS")
    let time = try ContinuousClock().measure {
      let read = try ReportModel(reading: RunDirectory(url: url))
      try read.write(formats: ReportFormats.withoutImage)
      model = read
    }
    #expect(model?.trials == count)
    #expect(model?.rows.allSatisfy { $0.processes == 60 && $0.cost != nil } == true)
    #expect(try Data(contentsOf: url.appendingPathComponent("trials.csv")).count { $0 == 0x0A } > count * 8)
    // An optimised build takes 2 s on two cores, a debug build beside other tests ten times as long. Quadratic work would
    // take far longer.
    #expect(time < .seconds(90), "took \(time)")
    #expect(try Self.kilobytes("VmHWM") - memory < 300_000)
  }

  /// Returns a figure of the memory of this process by its name in /proc/self/status.
  private static func kilobytes(_ name: String) throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}

/// The parts that keep a large report small in memory.
@Suite struct ReportPartsTests {
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

  @Test func `rounds are equal to a dictionary with the same changes`() {
    var (rounds, expected): (Rounds, [Int: RoundTiming]) = (Rounds(), [:])
    // Every number comes up, out of order. Some are set again, some are removed.
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

  /// A builder with the timed trials of a plan. The mean of one cell is three times the median.
  private func builder(_ plan: Plan, slow: Int?) -> SummaryBuilder {
    var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
    for (index, planned) in plan.cells.enumerated() {
      for round in 1...6 {
        var trial = SampleRun.timed(planned.cell, round: round)
        if index == slow { trial.timing?.elapsed *= 3 }
        builder.add(trial)
      }
    }
    return builder
  }

  /// Two places decide which histograms are kept and which are shown. If one were missing, the page would differ.
  @Test func `a page is the same as with all histograms`() throws {
    // The largest size of plist and the two largest of lmdb were not timed.
    let sizes = [(SampleRun.sqlite, [100, 1_000, 10_000]), (SampleRun.plist, [100, 1_000]), (SampleRun.lmdb, [100])]
    let plan = Plan(of: sizes.flatMap { backend, sizes in sizes.map { SampleRun.save(backend, $0) } })
    let builder = builder(plan, slow: 1)
    func page(_ rows: [SummaryRow]) -> String { HTMLFormat.text(ReportModel(rows: rows, plan: plan).document) }
    let all = plan.cells.indices.map(builder.row(at:))
    #expect(all.allSatisfy { $0.histogram != nil } && builder.rows.contains { $0.histogram == nil })
    #expect(page(builder.rows) == page(all))
    #expect(page(all) != page(all.map { changed($0) { $0.histogram = nil } }))
  }

  @Test func `histograms are kept of the largest size and where the mean differs`() throws {
    let plan = Plan(of: [100, 1_000, 10_000].map { SampleRun.save(SampleRun.sqlite, $0) })
    func kept(slow: Int?) -> [Bool] { builder(plan, slow: slow).rows.map { $0.histogram != nil } }
    #expect(kept(slow: nil) == [false, false, true])
    #expect(kept(slow: 0) == [true, false, true])
  }
}
