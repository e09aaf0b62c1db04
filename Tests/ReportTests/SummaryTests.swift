@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

@Suite struct SummaryTests {
  private let cell = SampleRun.save(SampleRun.sqlite, 100)

  private func row(
    _ trials: [Trial], rounds: Int = 6, level: Level? = .intact, refusal: PlannedCell.Refusal? = nil
  ) -> SummaryRow {
    let planned = PlannedCell(cell: cell, level: level, engineVersion: "SQLite", refusal: refusal)
    let plan = Plan(seed: 9, rounds: rounds, dataset: "/data/codes.csv", cells: [planned])
    return ReportModel(plan: plan, trials: trials).rows[0]
  }

  /// A timed trial whose operations took the given nanoseconds.
  private func timed(
    _ round: Int, _ times: [UInt64], batch: Int? = nil, timedOnce: Bool = false, checkpoints: Int? = nil
  ) -> Trial {
    let buckets = Dictionary(grouping: times) { $0 }.sorted { $0.key < $1.key }
      .map { (value: $0.key, count: UInt64($0.value.count)) }
    let sorted = times.sorted().map { Double($0) }
    var trial = Trial.timed(
      cell, round: round,
      Timing(
        operations: times.count, elapsed: Int64(times.reduce(0, +)), cpu: Int64(times.reduce(0, +) / 2),
        max: times.max().map { Int64($0) }, p25: Quantile.value(0.25, of: sorted) ?? 0,
        p50: Quantile.median(of: sorted) ?? 0, batch: batch,
        histogram: batch == nil ? HistogramText(buckets).text : nil, clock: 25))
    trial.timedOnce = timedOnce
    trial.timing?.checkpoints = checkpoints
    return trial
  }

  @Test func `a row's median is that of its processes' medians, percentiles are of all their operations`() {
    let rounds = (1...6).map { round in timed(round, (1...20).map { UInt64(round * 1000 + $0) }) }
    let row = row(rounds)
    #expect(row.status == .ok && row.note == "" && row.processes == 6 && row.operations == 120)
    // The middle of 1010.5, 2010.5, ... 6010.5.
    #expect(row.p50 == 3510.5)
    #expect(row.p90 == 6008 && row.p99 == 6019 && row.p999 == nil && row.max == 6020)
    #expect(row.p50Interval == MedianInterval(low: 1010.5, high: 6010.5))
    let total = rounds.compactMap(\.timing).reduce(0) { $0 + Double($1.elapsed) }
    #expect(row.operationsPerSecond.map { abs($0 - 120 / total * 1e9) < 1e-6 } == true)
    #expect(row.cpuPerOperation.map { abs($0 - total / 2 / 120) < 1 } == true)
    #expect(row.dataset == "codes.csv" && row.seed == 9)
    #expect(row.rounds[3]?.typical == 3010.5)
  }

  @Test func `tails need their operations`() {
    func summary(of operations: Int) -> SummaryRow {
      row([timed(1, Array(repeating: 5, count: operations))], rounds: 1)
    }
    #expect(summary(of: 99).p99 == nil && summary(of: 100).p99 == 5)
    #expect(summary(of: 999).p999 == nil && summary(of: 1000).p999 == 5)
  }

  @Test func `a percentile never exceeds the exact maximum`() {
    let trial = timed(1, [1_000_000]).withTiming { $0.max = 999_400 }
    #expect(row([trial], rounds: 1).p50 == 999_400)
  }

  @Test func `one failed trial takes all figures away`() {
    let failed = changed(timed(3, [10])) { ($0.status, $0.note) = (.failed, "signal 11") }
    let second = changed(failed) { $0.note = "signal 6" }
    let row = row([SampleRun.counted(cell), timed(1, [10]), failed, second, timed(2, [10])])
    #expect(row.status == .failed)
    #expect(row.note == "signal 11")
    #expect(row.p50 == nil && row.max == nil && row.operationsPerSecond == nil && row.cost == nil)
    #expect(row.processes == 0 && row.operations == 0 && row.rounds.isEmpty)
    // From p50_ns to digest, 27 fields, nothing stands between the commas.
    #expect(
      SummaryCSV.text([row]).contains(
        ",failed,signal 11,0,0" + String(repeating: ",", count: 28) + ",codes.csv,9,"))
  }

  @Test func `a cell that was not run says why`() {
    #expect(row([]).status == .skipped && row([]).note == "not run")
    let refused = row([], refusal: .init(status: .notAvailable, note: "install libleveldb1d"))
    #expect(refused.status == .notAvailable && refused.note == "install libleveldb1d")
    let predicted = Trial(cell: cell, pass: .timed, started: 0, wall: 0, status: .skipped, note: "predicted 41 s")
    let row = row([predicted, SampleRun.counted(cell)])
    #expect(row.status == .skipped && row.note == "predicted 41 s" && row.p50 == nil)
    #expect(row.cost?.countedOperations == 2000, "the counts were measured")
  }

  @Test func `slow operations are timed once, short runs say how far they came`() {
    let slow = row([timed(1, [300_000_000], timedOnce: true)])
    #expect(slow.isTimedOnce && slow.note == "×1" && slow.p50 == 300_000_000 && slow.p50Interval == nil)
    for time in [300, 300_000_000] as [UInt64] {
      let short = row([timed(1, [time]), timed(2, [time])])
      #expect(!short.isTimedOnce && short.note == "2 of 6 rounds")
    }
    // A fast operation whose store took long to open.
    #expect(row([timed(1, [300], timedOnce: true)]).isTimedOnce)
    #expect(row([SampleRun.counted(cell)], rounds: 0).note == "")
  }

  @Test func `batches have a median of their means but no percentiles`() {
    let row = row((1...6).map { timed($0, [10, 20], batch: 2000) })
    #expect(row.note == "batched")
    #expect(row.p50 == 15 && row.p50Interval == MedianInterval(low: 15, high: 15))
    #expect(row.p90 == nil && row.p99 == nil && row.p999 == nil)
    #expect(row.operationsPerSecond != nil)
    #expect(row.typicalTime == 15)
    #expect(row.rounds[1]?.resolution == 2)
  }

  /// Only two of six processes kept a histogram.
  @Test func `the median lies inside its interval, whichever process kept a histogram`() throws {
    var trials = (1...6).map { timed($0, [UInt64(62 + 2 * $0)], batch: 2000) }
    for round in [1, 4] { trials[round - 1].timing?.histogram = HistogramText([(90, 1000)]).text }
    let row = row(trials)
    #expect(row.p50 == 69)
    let interval = try #require(row.p50Interval)
    #expect(interval.low <= 69 && 69 <= interval.high)
    #expect(row.p90 == nil, "four processes would not be in it")
  }

  @Test func `a process with more operations has no more weight`() {
    let trials = (1...6).map { round in
      round == 1 ? timed(1, Array(repeating: 10, count: 9_000)) : timed(round, Array(repeating: 1_000, count: 20))
    }
    let row = row(trials)
    #expect(row.p50 == 1_000)
    // The fast process is one of six, and has nine in ten of all operations.
    #expect(row.p90 == 1_000 && row.p99 == 1_000)
  }

  /// Most operations take 40 ns alone and one in a hundred takes long: the mean of a batch lies above the 90th percentile.
  @Test func `no percentile is below the median`() {
    let histogram = HistogramText([(62, 990), (10_000, 10)]).text
    let row = row(
      (1...6).map { timed($0, [140], batch: 2000).withTiming { ($0.histogram, $0.max) = (histogram, 10_100) } })
    #expect(row.p50 == 140)
    #expect(row.p90 == nil && row.p99 == nil)
    #expect(row.p999 == 10_000)
  }

  @Test func `a row whose deferred writes were not seen has a note`() {
    let rounds = { (checkpoints: Int?) in (1...6).map { self.timed($0, [10], checkpoints: checkpoints) } }
    #expect(row(rounds(0)).note == "no checkpoint seen")
    #expect(row(rounds(1)).note == "")
    #expect(row(rounds(nil)).note == "")
    #expect(row(rounds(0), level: .crash).note == "")
  }

  @Test func `a round that is there twice counts once`() {
    let row = row([timed(1, [10]), timed(1, [99]), timed(2, [10])], rounds: 2)
    #expect(row.processes == 2)
    #expect(row.max == 10)
  }
}
