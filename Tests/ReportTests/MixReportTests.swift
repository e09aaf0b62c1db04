import Foundation
@testable import TestSupport
@testable import check_run
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The sections on mixes, frames and schedules.
@Suite struct MixReportTests {
  private func cell(_ workload: String, _ backend: String = "lmdb") -> Cell {
    Cell(backend, workload, records: 100_000, durability: .durable, recordBytes: 1_000)
  }

  private func planned(_ cells: [Cell], rate: Double? = nil) -> Plan {
    changed(Plan(of: cells, level: .durable)) { $0.rate = rate }
  }

  private func timing(_ operations: Int, mean: Double) -> Timing {
    Timing(
      operations: operations, elapsed: Int64(Double(operations) * mean), cpu: 1_000, min: 1_000, max: 400_000,
      p25: mean, p50: mean, clock: 25)
  }

  private func kind(_ name: String, _ buckets: [(value: UInt64, count: UInt64)], max: Int64) -> KindTiming {
    KindTiming(
      kind: name, operations: buckets.reduce(0) { $0 + Int($1.count) }, max: max, histogram: HistogramText(buckets).text
    )
  }

  /// Six rounds of a mix of which half are updates at 200 µs, and few are scans.
  private func mixed(_ cell: Cell, slower: Double = 1) -> [Trial] {
    (1...6).map { round in
      var timing = timing(1_000, mean: 100_000 * slower)
      timing.kinds = [
        kind("update", [(200_000, 490), (400_000, 10)], max: 400_000),
        kind("read", [(1_000, 400), (3_000, 90)], max: 2_900),
        kind("scan", [(50_000, 10)], max: 49_000),
      ]
      return .timed(cell, round: round, timing)
    }
  }

  @Test func kindsAreMergedOverRounds() throws {
    let cell = cell("mix:read=49:update=50:scan=1")
    let model = try SampleRun.model(plan: planned([cell]), trials: mixed(cell))
    let row = model.rows[0]
    // The p99 of 60 scans is not known.
    #expect(
      row.kinds == [
        KindLatency(kind: "read", operations: 2_940, p50: 1_000, p99: 2_900),
        KindLatency(kind: "update", operations: 3_000, p50: 200_000, p99: 400_000),
        KindLatency(kind: "scan", operations: 60, p50: 49_000, p99: nil),
      ])
    #expect(row.p50 == nil)
    #expect(row.typicalTime == 100_000)
    let read = FinishedRun.rows(SummaryCSV.text(model.rows))[0]
    #expect(
      ["read_operations", "update_p50_ns", "update_p99_ns", "scan_p50_ns", "scan_p99_ns", "insert_operations"]
        .map(read.text) == ["2940", "200000", "400000", "49000", "", ""])
  }

  @Test func theTableIsInTermsOfYCSB() throws {
    let cells = [cell("mix:ycsb=a"), cell("mix:ycsb=a", "sqlite")]
    let trials = mixed(cells[0]) + mixed(cells[1], slower: 2)
    let model = try SampleRun.model(plan: planned(cells), trials: trials)
    let page = model.document
    let section = try #require(page.sections.first { $0.id == "mix" })
    #expect(section.lead.contains { $0.text.hasPrefix("Unlike YCSB's driver") })
    let rows = section.tables[0].texts
    #expect(rows.count == 6)
    #expect(rows[0] == ["lmdb/mix:ycsb=a/100000/durable/bytes=1000", "10,000", "READ", "2,940", "1.0 µs", "2.9 µs"])
    #expect(rows[5].suffix(4) == ["SCAN", "60", "49 µs", "-"])
    let text = TerminalWriter.text(page)
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines.contains { $0.contains("Throughput(ops/sec)") && $0.contains("Operations") })
    #expect(
      lines.contains {
        $0.split(whereSeparator: \.isWhitespace) == ["5,000", "READ", "2,940", "1.0", "µs", "2.9", "µs"]
      }, "\(lines)")
    #expect(lines.count { $0.contains("sqlite/mix:ycsb=a/100000/durable/bytes=1000") } == 1)
    #expect(!text.contains("bytes/op"))
    #expect(model.section("verdict")?.sentences.contains { $0.contains("lmdb is") } == true)
    // A custom mix is not compared with the published one.
    let own = cell("mix:read=50:update=50")
    let report = RunReport(try SampleRun.model(plan: planned([own]), trials: mixed(own)))
    #expect(!TerminalWriter.text(report.document).contains("Unlike"))
    #expect(report.failure == nil)
  }

  @Test func mixesWithoutFiguresShowTheirStatus() throws {
    let cells = [cell("mix"), cell("mix:ycsb=b")]
    let failed = Trial(cell: cells[0], pass: .timed, round: 1, started: 0, wall: 1, status: .failed, note: "wrong")
    // Too short to be timed singly.
    let batched = changed(timing(1_000_000, mean: 50)) { $0.batch = 100 }
    let model = try SampleRun.model(plan: planned(cells), trials: [failed, .timed(cells[1], batched)])
    let text = TerminalWriter.text(model.document)
    #expect(text.contains("FAILED \(cells[0].name): wrong"))
    #expect(RunReport(model).failure == "1 of 2 cells failed, first \(cells[0].name): wrong")
    #expect(text.contains("20M"))
    #expect(model.section("mix")?.tables[0].texts.map { $0[2] } == ["-"])
  }

  @Test func framesAreShares() throws {
    let cell = cell("paced-save")
    let trials = (1...6).map { round in
      var timing = timing(30, mean: 16_666_667)
      (timing.rate, timing.overFrame, timing.overHalfFrame) = (60, round == 1 ? 3 : 0, 6)
      timing.histogram = HistogramText([(2_000_000, 24), (9_000_000, 6)]).text
      return Trial.timed(cell, round: round, timing)
    }
    try SampleRun.withModel(plan: planned([cell]), trials: trials) { model, url in
      #expect(model.rows[0].overFrame == 3)
      #expect(model.rows[0].overHalfFrame == 36)
      #expect(model.rows[0].note == "open loop, 60/s")
      #expect(model.section("pace")?.tables[0].texts[0][1...3] == ["180", "2 %", "20 %"])
      try model.write(formats: ReportFormats.named(["csv"]))
      let csv = try url.text("trials.csv")
      #expect(csv.contains(",over_16_7ms,operation,3\n"))
      #expect(csv.contains(",rate,1/s,60\n"))
    }
  }

  @Test func aScheduleAndItsDelaysAreReported() throws {
    let cells = [cell("save-one"), cell("save-one", "sqlite")]
    func trials(_ cell: Cell, perSecond: Double) -> [Trial] {
      (1...6).map { round in
        var timing = timing(100, mean: 1e9 / perSecond)
        timing.rate = 1_000
        timing.histogram = HistogramText([(2_000_000, 100)]).text
        return .timed(cell, round: round, timing)
      }
    }
    let all = trials(cells[0], perSecond: 990) + trials(cells[1], perSecond: 600)
    let model = try SampleRun.model(plan: planned(cells, rate: 1_000), trials: all)
    #expect(model.rows.map(\.note) == ["open loop, 1000/s", "open loop, 1000/s; fell behind: 600/s"])
    let sentence = try #require(Phrases.openLoop(model))
    #expect(sentence.contains("1000 a second"))
    #expect(sentence.contains("One cell could not keep up"))
    #expect(TerminalWriter.words(model.document).contains(sentence))
    let page = MarkdownFormat.text(model.document)
    #expect(page.contains("count from when they were due"))
    #expect(!page.contains("service times"))
    let usual = try SampleRun.model()
    #expect(Phrases.openLoop(usual) == nil)
    #expect(MarkdownFormat.text(usual.document).contains("these are service times"))
  }
}
