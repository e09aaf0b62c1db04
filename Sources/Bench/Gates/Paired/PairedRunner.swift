import Foundation
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial

struct PairedMeasurements: Sendable {
  struct CellResult: Sendable {
    var index: Int
    /// The verdict on the new build's times; nil if there are too few measurements.
    var verdict: PairedVerdict?
    var change: TimeChange?
    /// The failure that ended the measurements; nil without a failure. `isHead` is true if the new build failed.
    var failure: (note: String, isHead: Bool)?
  }

  /// The results of the benchmarks that both builds could run, in the order of the plan.
  var cells: [CellResult]
  /// The results of the controls, in which the old build was compared with itself.
  var control: [CellResult]
  var samples: [ProbeSample]
}

/// A runner that measures two builds in pairs of processes. Benchmarks whose times seem to differ are measured again.
struct PairedRunner {
  let plan: PairedPlan
  let base: RunSession
  let head: RunSession
  /// The directory for comparisons of the old build with itself.
  let control: RunDirectory
  let margins: Margins
  /// Slowdowns of the new build, by benchmark index: 0.2 makes operations 20 % longer.
  let slowdowns: [Int: Double]
  let sampler: MachineSampler
  let observer: RunObserver

  // The state of the measurements.
  var samples: [ProbeSample] = []
  /// The speed of each benchmark with each build. `wall` is the seconds of the last process. `isSlow` is true if any
  /// process had a median operation over 50 ms.
  var last: [Key: (isSlow: Bool, wall: Double)] = [:]
  var furtherPairs = FurtherPairs(firstStage: 0)
  var done = 0

  /// Counts the system calls of two builds, then times both builds. Benchmarks that seem to differ are timed again.
  mutating func run() async throws -> PairedMeasurements {
    for side in [base, head] {
      var counting = side
      counting.plan.rounds = 0
      let memory = MemoryDirectory.forCosts(of: counting.plan, scratch: side.scratch)
      defer { memory?.close() }
      _ = try await Runner(session: counting, observer: observer, memory: memory).run()
    }
    let rows = try [base, head].map { try ReportModel(reading: $0.directory).rows }
    func cells(where isCondition: (SummaryRow) -> Bool) -> Set<Int> {
      Set(plan.head.cells.indices.filter { index in rows.contains { isCondition($0[index]) } })
    }
    let syncing = cells { ($0.perOperation(\.syncs) ?? 0) >= 0.5 }
    let failed = cells { $0.status == .failed }
    // Both builds run on stores in one directory, because directories on ext4 can differ in speed.
    let sides = try (
      (TrialRun(base), Journal(base.directory)),
      (TrialRun(head, stores: base.scratch, slowdowns: slowdowns), Journal(head.directory)), Journal(control)
    )
    let entries = plan.firstSeries(syncing: syncing, without: failed)
    furtherPairs = FurtherPairs(firstStage: entries.reduce(0) { $0 + $1.order.count })
    var first = try await measure(.first, entries, sides)
    var second: [PairedSeries] = []
    if plan.confirms {
      if MachineFitness.defect(samples) == nil { first = try await measure(.lengthened, lengthened(first), sides) }
      let suspects = first.compactMap { entry -> (PairedSeries, Int)? in
        guard let stage = stage(entry), PairedVerdict.isSuspect(stage) else { return nil }
        return (entry, furtherPairs.confirming(stage, of: entry.order.count, isLengthened: entry.isLengthened))
      }
      second = try await measure(.confirming, plan.secondSeries(suspects), sides)
    }
    return PairedMeasurements(
      cells: first.filter { !$0.isControl }.map { cellResult($0, second) },
      control: first.filter(\.isControl).map { cellResult($0, second) }, samples: samples)
  }

  private typealias Opened = (trials: TrialRun, journal: Journal)

  // MARK: - Rounds

  private typealias Sides = (base: Opened, head: Opened, control: Journal)

  struct Key: Hashable {
    /// Whether the measuring process runs the old build (the base).
    var isBase: Bool
    var index: Int
  }

  /// A pair of measuring processes: one of the old and one of the new build. In a control (a self-comparison), both
  /// processes run the old build.
  private struct Pair {
    let series: Int
    let position: Int
    let round: Int
    /// The remaining measurements of this pair, in order. An element is true for the old build, and false for the new
    /// build.
    var waiting: [Bool]
    var isBase = false
    var timings: (base: Timing?, head: Timing?)
  }

  private mutating func measure(
    _ stage: RoundStage, _ series: [PairedSeries], _ sides: Sides
  ) async throws -> [PairedSeries] {
    guard series.contains(where: \.needsMore) else { return series }
    var series = series
    done = 0
    samples.append(sampler())
    var round = 0
    while series.contains(where: \.needsMore) {
      let order = plan.order(series.count, round: round, stage: stage).enumerated().filter { series[$1].needsMore }
      try await measureRound(order, &series, sides)
      samples.append(sampler())
      round += 1
    }
    return series
  }

  /// Measures the next pair of processes of each benchmark in `order`, one process at a time.
  private mutating func measureRound(
    _ order: [(offset: Int, element: Int)], _ series: inout [PairedSeries], _ sides: Sides
  ) async throws {
    var order = order[...]
    var pair: Pair?
    try await RoundLoop.run(
      TrialQueue(isSequential: true),
      next: { _ in
        if pair?.waiting.isEmpty != false { pair = order.popFirst().map { begin(&series[$1], $1, position: $0 + 1) } }
        guard var current = pair else { return nil }
        current.isBase = current.waiting.removeFirst()
        pair = current
        let key = key(current.isBase, series[current.series])
        return RoundLoop.Item(
          trials: (key.isBase ? sides.base : sides.head).trials, index: key.index, round: current.round,
          position: current.position, isSlow: last[key]?.isSlow ?? false)
      },
      starting: { observer(.starting(cell: $0.cell, pass: .timed, round: $0.round, estimate(series, pair))) },
      ended: {
        guard var current = pair else { return }
        try take($1, &current, &series[current.series], sides)
        pair = current
      })
  }

  /// Returns the key of the processes of a series that run the given build. In a control, all run the old build.
  private func key(_ isBase: Bool, _ series: PairedSeries) -> Key {
    Key(isBase: isBase || series.isControl, index: series.index)
  }

  private func begin(_ series: inout PairedSeries, _ number: Int, position: Int) -> Pair {
    series.begun += 1
    return Pair(
      series: number, position: position, round: series.earlier + series.begun,
      waiting: series.order[series.begun - 1] ? [true, false] : [false, true])
  }

  private mutating func take(_ trial: Trial, _ pair: inout Pair, _ series: inout PairedSeries, _ sides: Sides) throws {
    done += 1
    if series.isControl {
      // Both trials of a control run the old build and are in one file, so each trial gets a separate round number.
      var trial = trial
      trial.round = 2 * pair.round - (pair.isBase ? 1 : 0)
      try sides.control.append(trial)
    } else {
      try (pair.isBase ? sides.base : sides.head).journal.append(trial)
    }
    guard trial.status == .ok, let timing = trial.timing, timing.p25 > 0 else {
      let note = trial.note ?? "an operation takes no time, which is impossible"
      series.failure = (note, !pair.isBase && !series.isControl)
      pair.waiting = []
      return
    }
    let isSlow = timing.p50 > Double(MeasuringLoop<SystemTime>.slowLimit)
    let key = key(pair.isBase, series)
    last[key] = (isSlow || last[key]?.isSlow == true, trial.wall)
    if pair.isBase { pair.timings.base = timing } else { pair.timings.head = timing }
    if let base = pair.timings.base, let head = pair.timings.head { series.pairs.append((base, head)) }
  }

  private func estimate(_ series: [PairedSeries], _ pair: Pair?) -> ProgressEstimate {
    var estimate = ProgressEstimate(done: done)
    for (number, entry) in series.enumerated() {
      for isBase in [true, false] {
        let key = key(isBase, entry)
        let plan = (key.isBase ? base : head).plan
        let isOpen = pair.map { $0.series == number && ($0.waiting.contains(isBase) || $0.isBase == isBase) } ?? false
        let wall =
          last[key]?.wall ?? PlanEstimate.trialSeconds(plan.cells[entry.index], of: plan, ofPair: true)
        estimate.add(entry.pairsLeft + (isOpen ? 1 : 0), seconds: wall)
      }
    }
    return estimate
  }

  // MARK: - Verdicts

  private func margin(_ entry: PairedSeries) -> Double { margins.share(plan.head.cells[entry.index].cell.name) }

  private func stage(_ entry: PairedSeries) -> PairedStage? { entry.stage(margin: margin(entry)) }

  private mutating func lengthened(_ entries: [PairedSeries]) -> [PairedSeries] {
    var entries = entries
    for (position, entry) in entries.enumerated() where !entry.isControl && entry.failure == nil {
      guard let stage = stage(entry) else { continue }
      let further = furtherPairs.further(stage, of: entry.order.count)
      guard further > 0 else { continue }
      entries[position].order += plan.furtherOrder(entry.index, pairs: further)
      entries[position].isLengthened = true
    }
    return entries
  }

  private func cellResult(_ first: PairedSeries, _ second: [PairedSeries]) -> PairedMeasurements.CellResult {
    let again = second.first { $0.index == first.index && $0.isControl == first.isControl }
    var cellResult = PairedMeasurements.CellResult(index: first.index, failure: first.failure ?? again?.failure)
    let margin = margin(first)
    guard cellResult.failure == nil, let stage = first.stage(margin: margin) else { return cellResult }
    let verdict = PairedVerdict(first: stage, second: again.flatMap { $0.stage(margin: margin) })
    cellResult.verdict = verdict
    cellResult.change = (verdict.isConfirmed ? again ?? first : first)
      .change(verdict.deciding, margin: margin, isConfirmed: verdict.isConfirmed)
    return cellResult
  }
}

struct PairedSeries {
  let index: Int
  /// Whether the series is a control, which compares the old build with itself instead of the new build.
  let isControl: Bool
  /// The number of rounds of the benchmark in an earlier series. The numbers of rounds continue from there.
  var earlier = 0
  /// The order of the builds in each pair of measurements: true if the old build is measured first.
  var order: [Bool]
  var begun = 0
  var isLengthened = false
  var pairs: [(base: Timing, head: Timing)] = []
  var failure: (note: String, isHead: Bool)?

  var needsMore: Bool { pairsLeft > 0 }

  var pairsLeft: Int { failure == nil ? order.count - begun : 0 }

  /// Whether means are compared, because only one of the builds was timed in batches of operations.
  private var comparesMeans: Bool { pairs.contains { $0.base.isBatched != $0.head.isBatched } }

  func stage(margin: Double) -> PairedStage? {
    // In batches, the clock is read so rarely that its resolution causes an error of only 2 ns per operation.
    let resolution = pairs.flatMap { [$0.base, $0.head] }.map { $0.isBatched ? 2 : $0.clock }.max() ?? 0
    let times = comparesMeans ? pairs.map { ($0.base.mean, $0.head.mean) } : pairs.map { ($0.base.p25, $0.head.p25) }
    return PairedStage(pairs: times, margin: margin, resolution: resolution)
  }

  func change(_ stage: PairedStage, margin: Double, isConfirmed: Bool) -> TimeChange {
    func shown(_ timing: Timing) -> Double { comparesMeans ? timing.mean : timing.typical }
    let (base, head) = (pairs.map { shown($0.base) }, pairs.map { shown($0.head) })
    return TimeChange(
      base: Quantile.median(of: base.sorted()) ?? 0, head: Quantile.median(of: head.sorted()) ?? 0,
      ratio: stage.ratio.ratio, low: stage.ratio.interval?.low, high: stage.ratio.interval?.high,
      pairs: stage.ratio.pairs, margin: margin, isConfirmed: isConfirmed, comparesMeans: comparesMeans,
      smallestDetectable: stage.smallestDetectable, baseProcesses: base, headProcesses: head)
  }
}
