import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial

struct PairedMeasurements: Sendable {
  struct CellResult: Sendable {
    var index: Int
    /// The verdict on the times of the two builds, from the first and the confirming series of pairs; nil for too few
    /// pairs.
    var verdict: PairedVerdict?
    var change: TimeChange?
    /// The failure that ended the measurement of the benchmark, and whether the new build (the head) failed; nil
    /// without a failure.
    var failure: (note: String, isHead: Bool)?
  }

  /// The results of the benchmarks that both builds could run, in the plan's order.
  var cells: [CellResult]
  /// The results of the benchmarks for which the old build was measured against itself.
  var control: [CellResult]
  var samples: [ProbeSample]
}

/// A runner that measures the old and the new build directly after one another, for each benchmark. A benchmark that
/// seems to have changed (a suspect) gets a second series of pairs.
///
/// If a benchmark's times vary much on a quiet machine, its first series gets more pairs: see `FurtherPairs`. On a
/// machine that is not quiet, only suspects are judged, so no other benchmark gets more pairs.
///
/// The runner prints nothing and does not choose exit codes.
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
  private var slow: Set<String> = []
  /// The number of pairs measured so far. Each key consists of `isControl` and the index of a benchmark: the key `true
  /// 3` is the control on benchmark 3, in which the old build is measured against itself.
  private var rounds: [String: Int] = [:]
  private var furtherPairs = FurtherPairs(firstStage: 0)
  private var done = 0
  private var total = 0
  private var began = Date()

  /// Creates a runner. The directory `control` gets the measurements of the old build against itself. For a self-test,
  /// `slowdowns` has the additional time of the new build's operations, as a fraction, by the index of the benchmark.
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

  /// Counts the system calls of both builds, then measures the first and the confirming series of pairs.
  ///
  /// - Throws: `CancellationError` when interrupted; ``ExitStatus/Failure`` if a journal cannot be written.
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
    let syncing = try syncingCells()
    let failed = try failedCells()
    let sides = try (open(base, [:]), open(head, slowdowns), Journal(control))
    let entries = plan.firstSeries(syncing: syncing, without: failed)
    furtherPairs = FurtherPairs(firstStage: entries.reduce(0) { $0 + $1.order.count })
    var first = try await stage(1, entries, sides)
    var second: [PairedSeries] = []
    if plan.confirms {
      if MachineFitness.defect(samples) == nil { first = try await stage(3, lengthened(first), sides) }
      let suspects = first.filter { self.isSuspect($0) }.map { ($0.subject, self.confirmingPairs($0)) }
      second = try await stage(2, plan.secondSeries(suspects), sides)
    }
    return PairedMeasurements(
      cells: first.filter { !$0.isControl }.map { cellResult($0, second) },
      control: first.filter(\.isControl).map { cellResult($0, second) }, samples: samples)
  }

  private typealias Opened = (trials: TrialRun, journal: Journal)

  private func open(_ side: RunSession, _ slowdowns: [Int: Double]) throws -> Opened {
    let fixtures = Fixtures(scratch: side.scratch, launcher: side.launcher)
    return (
      TrialRun(
        plan: side.plan, catalog: catalog, directory: side.directory, scratch: side.scratch, launcher: side.launcher,
        fixtures: fixtures, slowdowns: slowdowns), try Journal(side.directory)
    )
  }

  private func rows(_ side: RunSession) throws -> [SummaryRow] { try ReportModel(reading: side.directory).rows }

  private func syncingCells() throws -> Set<Int> {
    let rows = try [base, head].map { try self.rows($0) }
    return Set(
      plan.head.cells.indices.filter { index in
        rows.contains { ($0[index].perOperation(\.syncs) ?? 0) >= 0.5 }
      })
  }

  private func failedCells() throws -> Set<Int> {
    let rows = try [base, head].map { try self.rows($0) }
    return Set(plan.head.cells.indices.filter { index in rows.contains { $0[index].status == .failed } })
  }

  // MARK: - Rounds

  private func stage(
    _ number: Int, _ entries: [PairedSeries], _ sides: (base: Opened, head: Opened, control: Journal)
  ) async throws -> [PairedSeries] {
    guard entries.contains(where: { $0.needsMore }) else { return entries }
    var entries = entries
    total = 2 * entries.reduce(0) { $0 + $1.order.count - $1.begun }
    began = Date()
    done = 0
    samples.append(sampler.sample())
    var round = 0
    while entries.contains(where: { $0.needsMore }) {
      for (position, entry) in plan.order(entries.count, round: round, stage: number).enumerated()
      where entries[entry].needsMore {
        try await pair(&entries[entry], position: position + 1, sides)
      }
      samples.append(sampler.sample())
      round += 1
    }
    return entries
  }

  private func pair(
    _ entry: inout PairedSeries, position: Int, _ sides: (base: Opened, head: Opened, control: Journal)
  ) async throws {
    // The numbers of rounds continue from one stage to the next.
    let number = rounds["\(entry.isControl) \(entry.index)", default: 0] + 1
    rounds["\(entry.isControl) \(entry.index)"] = number
    var timings: (base: Timing?, head: Timing?)
    for isBase in entry.begin() ? [true, false] : [false, true] {
      try Task.checkCancellation()
      let side = isBase || entry.isControl ? sides.base : sides.head
      let cell = side.trials.plan.cells[entry.index].cell
      announce(cell, number)
      let key = "\(isBase || entry.isControl) \(entry.index)"
      var trial = try await side.trials.run(
        entry.index, .timed, round: number, position: position, isSlow: slow.contains(key))
      done += 1
      if entry.isControl {
        // Both trials of a control pair run the old build and are in one journal, so each gets its own round number.
        trial.round = 2 * number - (isBase ? 1 : 0)
        try sides.control.append(trial)
      } else {
        try side.journal.append(trial)
      }
      guard trial.status == .ok, let timing = trial.timing, timing.p25 > 0 else {
        entry.failure = (trial.note ?? "an operation takes no time, which is impossible", !isBase && !entry.isControl)
        return
      }
      if timing.p50 > Double(MeasuringLoop<SystemTime>.slowLimit) { slow.insert(key) }
      if isBase { timings.base = timing } else { timings.head = timing }
    }
    if let base = timings.base, let head = timings.head { entry.add(base: base, head: head) }
  }

  private func announce(_ cell: Cell, _ round: Int) {
    let spent = Date().timeIntervalSince(began)
    let left = done > 0 ? spent / Double(done) * Double(total - done) : nil
    observer.see(.starting(cell: cell, pass: .timed, round: round, done: done, trials: total, secondsLeft: left))
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
