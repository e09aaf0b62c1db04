import StorageContract
import StorageRunFiles

/// The queue of the trials of a round that have been started and are not over, in order.
///
/// While no clock is running, the processors are kept busy: the last trial is verified, and the next trials prepare
/// their stores. Before a clock starts, every process that prepares is paused.
///
///     Schedule           the order of a round's cells, by the seed
///        |
///     TrialQueue         decides which trial may start, prepare, be timed
///        |               starting > preparing > prepared > timing > verifying > over
///        |                             ^ paused while the clock of another trial runs
///     TrialGate          applies it to one process: reports, waits, pauses (SIGSTOP) and resumes
///        |
///     TrialLauncher      starts the process and reads its answer; its ClockGate waits for the start signal
///        |
///     LaunchLimit        ends a process that takes too long, or shows no activity
///
/// ``Runner`` queries the queue and follows its decisions.
struct TrialQueue {
  struct Entry {
    /// The position in the round, counted from 0.
    let position: Int
    let cell: Cell
    let turn: TrialGate
    fileprivate var stage = Stage.starting
    fileprivate var isPaused = false
    fileprivate var trial: Trial?

    fileprivate var isBusy: Bool { !isPaused && [.starting, .preparing, .verifying].contains(stage) }
    fileprivate var isAhead: Bool { [.starting, .preparing, .prepared].contains(stage) }
  }

  fileprivate enum Stage {
    /// This program copies the fixture and starts the process, which cannot be paused yet.
    case starting
    case preparing
    case prepared
    case timing
    case verifying
    case over
  }

  private var entries: [Entry] = []
  private let isFirstRound: Bool

  /// - Parameter isFirstRound: Whether a larger size waits for the smaller sizes of its row, which decide whether the
  ///   larger size is tried.
  init(isFirstRound: Bool) { self.isFirstRound = isFirstRound }

  /// Whether a clock is running, so that no process may be started.
  var isTiming: Bool { entries.first?.stage == .timing }

  private var hasFreeProcessor: Bool { entries.count(where: \.isBusy) < Parallelism.besideNoClock }

  /// Returns whether another process may be started to prepare its store.
  func admits(_ cell: Cell) -> Bool {
    if entries.isEmpty { return true }
    if isTiming || !hasFreeProcessor || entries.count(where: \.isAhead) >= Parallelism.trialsAhead { return false }
    // A process with a memory limit runs alone.
    if cell.memory != nil || entries.contains(where: { $0.cell.memory != nil }) { return false }
    if isFirstRound, entries.contains(where: { SizeSeries($0.cell) == SizeSeries(cell) }) { return false }
    let bytes = entries.reduce(PlanEstimate.bytes(cell)) { $0 + PlanEstimate.bytes($1.cell) }
    return bytes <= Parallelism.bytesInRow
  }

  /// Adds a trial that is being started.
  mutating func add(_ position: Int, _ cell: Cell, _ turn: TrialGate) {
    entries.append(Entry(position: position, cell: cell, turn: turn))
  }

  /// Records that a trial's process exists.
  mutating func started(_ position: Int) {
    change(position) { if $0.stage == .starting { $0.stage = .preparing } }
  }

  /// Records that a trial's store is prepared.
  mutating func prepared(_ position: Int) { change(position) { if $0.isAhead { $0.stage = .prepared } } }

  /// Records that a trial's clock has stopped.
  mutating func stopped(_ position: Int) { change(position) { if $0.stage == .timing { $0.stage = .verifying } } }

  /// Records that a trial's process has exited and its files are removed.
  mutating func ended(_ position: Int, _ trial: Trial) {
    change(position) { ($0.stage, $0.trial) = (.over, trial) }
  }

  /// Removes and returns the first trial if it is over, for the journal. A later trial that has failed early waits for
  /// the trials before it.
  mutating func takeEnded() -> Trial? {
    guard let trial = entries.first?.trial else { return nil }
    entries.removeFirst()
    return trial
  }

  /// Returns the trials that were paused for a clock and are resumed now: the first ones, as processors are free.
  mutating func goOn() -> [TrialGate] {
    guard !isTiming else { return [] }
    var turns: [TrialGate] = []
    for index in entries.indices where entries[index].isPaused {
      // A trial that had just finished preparing only has to wait.
      guard hasFreeProcessor || entries[index].stage != .preparing else { continue }
      entries[index].isPaused = false
      turns.append(entries[index].turn)
    }
    return turns
  }

  /// Returns the first trial, whose clock starts now, and the trials to pause for it. The result is nil if the store of
  /// the first trial is not prepared yet, or if another trial's process is still being started.
  mutating func begin() -> (next: Entry, pausing: [TrialGate])? {
    guard let first = entries.first, first.stage == .prepared, !entries.contains(where: { $0.stage == .starting })
    else { return nil }
    (entries[0].stage, entries[0].isPaused) = (.timing, false)
    var turns: [TrialGate] = []
    for index in entries.indices where entries[index].isBusy {
      entries[index].isPaused = true
      turns.append(entries[index].turn)
    }
    return (first, turns)
  }

  private mutating func change(_ position: Int, _ body: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.position == position }) else { return }
    body(&entries[index])
  }
}
