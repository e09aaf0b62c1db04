import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial

/// The finished and the remaining trials (measuring processes) of a plan. When a run is resumed, the progress is
/// rebuilt from the journal of finished trials.
struct Progress {
  private let plan: Plan
  private var states: [State]
  private let indices: [String: Int]
  /// Whether some trials were finished before this process started.
  var isResumed = false
  /// The prediction of an operation's time from measurements with smaller numbers of records.
  private(set) var prediction = Prediction()

  private struct State {
    var rounds: Set<Int> = []
    /// The rounds in which the benchmark was timed again for longer, because times drifted within the usual trials.
    var lengthened: Set<Int> = []
    /// The mean latency of the second half of a timed process divided by that of the first half: see ``Timing/halves``.
    var halves: [Double] = []
    var untimed: Set<Pass> = []
    /// Whether the cell (benchmark) need not be timed again: it failed, cannot be timed, or was timed once because an
    /// operation, or opening the store, takes too long.
    var needsNoMoreRounds = false
    var hasFailed = false
    /// Whether a memory limit ended a process of the benchmark. This counts as a result: every further process would
    /// end, too.
    var isBeyondMemory = false
    var hasValue = false
    /// The seconds that the last timed process of the benchmark took, with preparation and verification.
    var wall: Double?
    var costWall: Double?
    /// The nanoseconds of an operation in the last timed process of the benchmark.
    var operation: Double?
  }

  init(plan: Plan) {
    self.plan = plan
    states = plan.cells.map { cell in
      var state = State()
      if cell.refusal != nil { state.needsNoMoreRounds = true }
      return state
    }
    indices = Dictionary(plan.cells.enumerated().map { ($1.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func note(_ trial: Trial) {
    guard let index = indices[trial.cell.name] else { return }
    states[index].hasValue = true
    if trial.status == .failed {
      states[index].hasFailed = true
      states[index].needsNoMoreRounds = true
    }
    if trial.status == .notAvailable {
      states[index].isBeyondMemory = true
      states[index].needsNoMoreRounds = true
    }
    guard trial.pass == .timed else {
      states[index].untimed.insert(trial.pass)
      states[index].costWall = trial.wall
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
    states[index].operation = timing.p50
    prediction.note(trial.cell, nanoseconds: timing.p50)
    // Further rounds are omitted only after the first round. In a later round, the operation was slow only for a
    // moment, and the cell could not be compared without its other rounds.
    if trial.timedOnce, states[index].rounds.count == 1 { states[index].needsNoMoreRounds = true }
  }

  /// Returns whether the benchmark with this index must still be timed in a round, in a usual or in a lengthened trial.
  func needs(_ index: Int, round: Int, isLengthened: Bool = false) -> Bool {
    guard !states[index].needsNoMoreRounds else { return false }
    return isLengthened
      ? isUnsteady(index) && !states[index].lengthened.contains(round) : !states[index].rounds.contains(round)
  }

  /// Returns whether the usual trials of a cell (benchmark) are over and must be repeated for longer, because
  /// operations became slower or faster within the trials.
  private func isUnsteady(_ index: Int) -> Bool {
    let planned = plan.cells[index]
    guard states[index].halves.count == plan.rounds, Steadiness(halves: states[index].halves) != .steady else {
      return false
    }
    return plan.trialTime(planned, isLengthened: true) > plan.trialTime(planned)
  }

  /// Returns whether an operation of the benchmark has taken so long that one operation is enough for a process.
  func isSlow(_ index: Int) -> Bool {
    states[index].operation.map { $0 > Double(MeasuringLoop<SystemTime>.slowLimit) } ?? false
  }

  func wall(_ index: Int) -> Double? { states[index].wall }

  /// Returns whether the benchmark with an index still needs the process that counts calls, or the process that only
  /// verifies.
  func needs(_ index: Int, _ pass: Pass) -> Bool {
    plan.cells[index].refusal == nil && !states[index].hasFailed && !states[index].isBeyondMemory
      && !states[index].untimed.contains(pass)
  }

  func hasValue(_ cell: Cell) -> Bool { indices[cell.name].map { states[$0].hasValue } ?? false }

  var isOK: Bool { !states.contains { $0.hasFailed } }

  private func roundsLeft(_ index: Int) -> Int {
    guard plan.rounds > 0, !states[index].needsNoMoreRounds else { return 0 }
    let usual = (1...plan.rounds).count { !states[index].rounds.contains($0) }
    return usual + (isUnsteady(index) ? (1...plan.rounds).count { !states[index].lengthened.contains($0) } : 0)
  }

  private func passesLeft(_ index: Int) -> Int { needs(index, plan.once ? .once : .cost) ? 1 : 0 }

  var done: Int { states.reduce(0) { $0 + $1.rounds.count + $1.lengthened.count + $1.untimed.count } }

  /// The total number of trials (processes) of the run, as far as known now.
  var total: Int { done + states.indices.reduce(0) { $0 + roundsLeft($1) + passesLeft($1) } }

  /// The estimated seconds for the remaining measurements, from earlier measurements or from a rough estimate.
  var secondsLeft: Double {
    states.indices.reduce(0) { sum, index in
      let cell = plan.cells[index]
      let timed =
        states[index].wall
        ?? PlanEstimate.trialSeconds(cell, trialTime: plan.trialTime(cell), ofDataset: plan.dataset != nil)
      let counted = (states[index].wall ?? 0.2) / Double(Parallelism.costPassesAtOnce)
      return sum + Double(roundsLeft(index)) * timed + Double(passesLeft(index)) * counted
    }
  }
}

/// A prediction of an operation's time, from its measured times with smaller numbers of records.
struct Prediction {
  private var seen: [SizeSeries: [Int: Double]] = [:]

  /// Records the measured median time of an operation, in nanoseconds.
  mutating func note(_ cell: Cell, nanoseconds: Double) {
    guard nanoseconds > 0 else { return }
    seen[SizeSeries(cell), default: [:]][cell.records] = nanoseconds
  }

  /// Returns the predicted nanoseconds of an operation, by a power law through the times with the two next smaller
  /// numbers of records; nil if fewer than two were measured.
  func nanoseconds(_ cell: Cell) -> Double? {
    let sizes = (seen[SizeSeries(cell)] ?? [:]).filter { $0.key < cell.records }.sorted { $0.key < $1.key }.suffix(2)
    guard sizes.count == 2,
      let fit = PowerFit(sizes.map { (x: Double($0.key), y: $0.value) })
    else { return nil }
    return fit.predict(Double(cell.records))
  }
}
