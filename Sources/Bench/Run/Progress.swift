import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics
import StorageTrial

/// The progress of a plan: its finished and remaining trials (measuring processes).
struct Progress {
  private let plan: Plan
  private var states: [State]
  private let indices: [String: Int]
  var isResumed = false
  private(set) var prediction = Prediction()

  private struct State {
    var rounds: Set<Int> = []
    var lengthened: Set<Int> = []
    /// The mean latency in the second half of each timed process, divided by the mean latency in the first half.
    var halves: [Double] = []
    var untimed: Set<Pass> = []
    /// Whether the benchmark needs no further timing, for example because it failed or is very slow.
    var needsNoMoreRounds = false
    /// The status of a process that failed or that the memory limit ended; nil without one. No further process of the
    /// benchmark is then started.
    var ending: Status?
    var hasValue = false
    /// The duration of the process that timed the benchmark last, in seconds, including preparation and verification.
    var wall: Double?
    var isSlow = false
  }

  init(plan: Plan) {
    self.plan = plan
    states = plan.cells.map { State(needsNoMoreRounds: $0.refusal != nil) }
    indices = Dictionary(plan.cells.enumerated().map { ($1.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func note(_ trial: Trial) {
    guard let index = indices[trial.cell.name] else { return }
    states[index].hasValue = true
    if trial.status == .failed || trial.status == .notAvailable && states[index].ending == nil {
      states[index].ending = trial.status
      states[index].needsNoMoreRounds = true
    }
    guard trial.pass == .timed else {
      states[index].untimed.insert(trial.pass)
      return
    }
    if trial.lengthened == true {
      states[index].lengthened.insert(trial.round ?? 0)
      if trial.timing != nil { states[index].wall = trial.wall }
      return
    }
    states[index].rounds.insert(trial.round ?? 0)
    if let halves = trial.timing?.halves { states[index].halves.append(halves) }
    if trial.status == .skipped { states[index].needsNoMoreRounds = true }
    guard let timing = trial.timing else { return }
    states[index].wall = trial.wall
    states[index].isSlow = timing.p50 > Double(MeasuringLoop<SystemTime>.slowLimit)
    prediction.note(trial.cell, nanoseconds: timing.p50)
    // Only a slow first round ends the timing early. In a later round, the operation was slow only for a moment.
    if trial.timedOnce, states[index].rounds.count == 1 { states[index].needsNoMoreRounds = true }
  }

  func needs(_ index: Int, round: Int, _ stage: RoundStage = .first) -> Bool {
    guard !states[index].needsNoMoreRounds else { return false }
    return stage == .lengthened
      ? isUnsteady(index) && !states[index].lengthened.contains(round) : !states[index].rounds.contains(round)
  }

  /// Returns whether a benchmark must be timed for longer, because its latency drifted. False until all rounds are
  /// over.
  private func isUnsteady(_ index: Int) -> Bool {
    let planned = plan.cells[index]
    guard states[index].halves.count == plan.rounds, Steadiness(halves: states[index].halves) != .steady else {
      return false
    }
    return plan.trialTime(planned, isLengthened: true) > plan.trialTime(planned)
  }

  func isSlow(_ index: Int) -> Bool { states[index].isSlow }

  func wall(_ index: Int) -> Double? { states[index].wall }

  /// Returns whether a benchmark still needs a process that is not timed. `pass` says whether that process counts
  /// system calls, or only runs the operations and verifies the results.
  func needs(_ index: Int, _ pass: Pass) -> Bool {
    plan.cells[index].refusal == nil && states[index].ending == nil && !states[index].untimed.contains(pass)
  }

  func hasValue(_ cell: Cell) -> Bool { indices[cell.name].map { states[$0].hasValue } ?? false }

  var isOK: Bool { !states.contains { $0.ending == .failed } }

  private func roundsLeft(_ index: Int) -> Int {
    guard plan.rounds > 0, !states[index].needsNoMoreRounds else { return 0 }
    let usual = (1...plan.rounds).count { !states[index].rounds.contains($0) }
    return usual + (isUnsteady(index) ? (1...plan.rounds).count { !states[index].lengthened.contains($0) } : 0)
  }

  var done: Int { states.reduce(0) { $0 + $1.rounds.count + $1.lengthened.count + $1.untimed.count } }

  var estimate: ProgressEstimate {
    var estimate = ProgressEstimate(done: done)
    for index in states.indices {
      let wall = states[index].wall
      estimate.add(roundsLeft(index), seconds: wall ?? PlanEstimate.trialSeconds(plan.cells[index], of: plan))
      let passes = needs(index, plan.once ? .once : .cost) ? 1 : 0
      estimate.add(passes, seconds: (wall ?? 0.2) / Double(Parallelism.costPassesAtOnce))
    }
    return estimate
  }
}

/// The number of finished trials (measuring processes), and an estimate of the remaining time.
struct ProgressEstimate: Sendable {
  let done: Int
  private(set) var left = 0
  private(set) var secondsLeft = 0.0

  var total: Int { done + left }

  /// Adds trials (measuring processes) that still have to run. `seconds` is the estimated duration of each trial.
  mutating func add(_ trials: Int, seconds: Double) {
    left += trials
    secondsLeft += Double(trials) * seconds
  }
}

/// A prediction of an operation's time from its measured times with fewer records.
struct Prediction {
  private var seen: [Cell: [Int: Double]] = [:]

  mutating func note(_ cell: Cell, nanoseconds: Double) {
    guard nanoseconds > 0 else { return }
    seen[cell.ofAnySize, default: [:]][cell.records] = nanoseconds
  }

  /// Predicts an operation's nanoseconds by a power law from the times measured with the two next smaller numbers of
  /// records. Nil without two such times.
  func nanoseconds(_ cell: Cell) -> Double? {
    let sizes = (seen[cell.ofAnySize] ?? [:]).filter { $0.key < cell.records }.sorted { $0.key < $1.key }.suffix(2)
    guard let last = sizes.last, sizes.count == 2,
      let law = GrowthModel(power: sizes.map { (x: Double($0.key), y: $0.value) })
    else { return nil }
    // From the last point, because for sizes such as 4,095 and 4,096 the factor of the law itself can be infinite.
    return last.value * pow(Double(cell.records) / Double(last.key), law.exponent)
  }
}
