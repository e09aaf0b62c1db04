import Foundation
import StorageContract
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
final class PairedRunner: @unchecked Sendable {
  private let plan: PairedPlan
  private let catalog: Catalog
  private let base: RunSession
  private let head: RunSession
  private let control: RunDirectory
  private let margins: Margins
  private let slowdowns: [Int: Double]
  private let sampler: any MachineSampling
  private let observer: any RunObserver

  // Only the task that runs the measurements uses these properties.
  private var samples: [ProbeSample] = []
  /// The speed of each benchmark with each build. `wall` is the seconds of the last process. `isSlow` is true if any
  /// process had a median operation over 50 ms.
  private var last: [Key: (isSlow: Bool, wall: Double)] = [:]
  /// The number of rounds begun for each benchmark, and for each control (a comparison of the old build with itself).
  private var rounds: [Key: Int] = [:]
  private var furtherPairs = FurtherPairs(firstStage: 0)
  private var done = 0

  /// Creates a runner that compares the old build (`base`) with the new build (`head`).
  ///
  /// - Parameters:
  ///   - control: The directory for comparisons of the old build with itself.
  ///   - slowdowns: Slowdowns of the new build, by benchmark index: 0.2 makes operations 20 % longer.
  init(
    plan: PairedPlan, catalog: Catalog, base: RunSession, head: RunSession, control: RunDirectory, margins: Margins,
    slowdowns: [Int: Double], sampler: any MachineSampling, observer: any RunObserver
  ) {
    self.plan = plan
    self.catalog = catalog
    self.base = base
    self.head = head
    self.control = control
    self.margins = margins
    self.slowdowns = slowdowns
    self.sampler = sampler
    self.observer = observer
  }

  /// Counts the system calls of two builds, then times both builds. Benchmarks that seem to differ are timed again.
  ///
  /// - Throws: `CancellationError` when interrupted; `FileWriteError` if the results cannot be written.
  func run() async throws -> PairedMeasurements {
    for side in [base, head] {
      var counting = side.plan
      counting.rounds = 0
      let memory = MemoryDirectory.forCosts(of: counting, scratch: side.scratch)
      defer { memory?.close() }
      _ = try await Runner(
        plan: counting, catalog: catalog, directory: side.directory, scratch: side.scratch, launcher: side.launcher,
        observer: observer, memory: memory
      ).run()
    }
    let rows = try [base, head].map { try ReportModel(reading: $0.directory).rows }
    func cells(where isCondition: (SummaryRow) -> Bool) -> Set<Int> {
      Set(plan.head.cells.indices.filter { index in rows.contains { isCondition($0[index]) } })
    }
    let syncing = cells { ($0.perOperation(\.syncs) ?? 0) >= 0.5 }
    let failed = cells { $0.status == .failed }
    let sides = try (open(base, [:]), open(head, slowdowns), Journal(control))
    let entries = plan.firstSeries(syncing: syncing, without: failed)
    furtherPairs = FurtherPairs(firstStage: entries.reduce(0) { $0 + $1.order.count })
    var first = try await measure(.first, entries, sides)
    var second: [PairedSeries] = []
    if plan.confirms {
      if MachineFitness.defect(samples) == nil { first = try await measure(.lengthened, lengthened(first), sides) }
      let suspects = first.filter { self.isSuspect($0) }.map { ($0.subject, self.confirmingPairs($0)) }
      second = try await measure(.confirming, plan.secondSeries(suspects), sides)
    }
    return PairedMeasurements(
      cells: first.filter { !$0.isControl }.map { cellResult($0, second) },
      control: first.filter(\.isControl).map { cellResult($0, second) }, samples: samples)
  }

  private typealias Opened = (trials: TrialRun, journal: Journal)

  /// Returns the runner of one build's trials, and their results file. Both builds run on stores in one directory,
  /// because directories on ext4 can differ in speed.
  private func open(_ side: RunSession, _ slowdowns: [Int: Double]) throws -> Opened {
    let fixtures = Fixtures(scratch: side.scratch, launcher: side.launcher)
    return (
      TrialRun(
        plan: side.plan, catalog: catalog, directory: side.directory, scratch: base.scratch, launcher: side.launcher,
        fixtures: fixtures, slowdowns: slowdowns), try Journal(side.directory)
    )
  }

  // MARK: - Rounds

  private typealias Sides = (base: Opened, head: Opened, control: Journal)

  private struct Key: Hashable {
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

  private func measure(_ stage: RoundStage, _ series: [PairedSeries], _ sides: Sides) async throws -> [PairedSeries] {
    guard series.contains(where: \.needsMore) else { return series }
    var series = series
    done = 0
    samples.append(sampler.sample())
    var round = 0
    while series.contains(where: \.needsMore) {
      let order = plan.order(series.count, round: round, stage: stage).enumerated().filter { series[$1].needsMore }
      try await measureRound(order, &series, sides)
      samples.append(sampler.sample())
      round += 1
    }
    return series
  }

  /// Measures the next pair of processes of each benchmark in `order`, one process at a time.
  private func measureRound(
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
        let key = key(current, series[current.series])
        return RoundLoop.Item(
          trials: (key.isBase ? sides.base : sides.head).trials, index: key.index, round: current.round,
          position: current.position, isSlow: last[key]?.isSlow ?? false)
      },
      starting: { observer.see(.starting(cell: $0.cell, pass: .timed, round: $0.round, estimate(series, pair))) },
      ended: {
        guard var current = pair else { return }
        try take($1, &current, &series[current.series], sides)
        pair = current
      })
  }

  private func key(_ pair: Pair, _ series: PairedSeries) -> Key {
    Key(isBase: pair.isBase || series.isControl, index: series.index)
  }

  private func begin(_ series: inout PairedSeries, _ number: Int, position: Int) -> Pair {
    // The numbers of rounds continue from one stage to the next.
    let key = Key(isBase: series.isControl, index: series.index)
    rounds[key, default: 0] += 1
    return Pair(
      series: number, position: position, round: rounds[key, default: 0],
      waiting: series.begin() ? [true, false] : [false, true])
  }

  private func take(_ trial: Trial, _ pair: inout Pair, _ series: inout PairedSeries, _ sides: Sides) throws {
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
    let key = key(pair, series)
    last[key] = (isSlow || last[key]?.isSlow == true, trial.wall)
    if pair.isBase { pair.timings.base = timing } else { pair.timings.head = timing }
    if let base = pair.timings.base, let head = pair.timings.head { series.add(base: base, head: head) }
  }

  private func estimate(_ series: [PairedSeries], _ pair: Pair?) -> ProgressEstimate {
    var estimate = ProgressEstimate(done: done)
    for (number, entry) in series.enumerated() {
      for isBase in [true, false] {
        let (side, key) = (
          isBase || entry.isControl ? base : head, Key(isBase: isBase || entry.isControl, index: entry.index)
        )
        let isOpen = pair.map { $0.series == number && ($0.waiting.contains(isBase) || $0.isBase == isBase) } ?? false
        let wall =
          last[key]?.wall ?? PlanEstimate.trialSeconds(side.plan.cells[entry.index], of: side.plan, ofPair: true)
        estimate.add(entry.pairsLeft + (isOpen ? 1 : 0), seconds: wall)
      }
    }
    return estimate
  }

  // MARK: - Verdicts

  private func margin(_ entry: PairedSeries) -> Double { margins.share(plan.head.cells[entry.index].cell.name) }

  private func isSuspect(_ entry: PairedSeries) -> Bool {
    entry.stage(margin: margin(entry)).map(PairedVerdict.isSuspect) ?? false
  }

  private func lengthened(_ entries: [PairedSeries]) -> [PairedSeries] {
    var entries = entries
    for (position, entry) in entries.enumerated() where !entry.isControl && entry.failure == nil {
      guard let stage = entry.stage(margin: margin(entry)) else { continue }
      let further = furtherPairs.further(stage, of: entry.order.count)
      if further > 0 { entries[position].lengthen(by: plan.furtherOrder(entry.index, pairs: further)) }
    }
    return entries
  }

  private func confirmingPairs(_ entry: PairedSeries) -> Int {
    guard let stage = entry.stage(margin: margin(entry)) else { return entry.order.count }
    return furtherPairs.confirming(stage, of: entry.order.count, isLengthened: entry.isLengthened)
  }

  private func cellResult(_ first: PairedSeries, _ second: [PairedSeries]) -> PairedMeasurements.CellResult {
    let again = second.first { $0.subject == first.subject }
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
