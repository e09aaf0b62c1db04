import StorageContract
import StorageRunFiles

/// The trials of a round that have been started and are not over, in order. A trial is a process that prepares a store,
/// is timed, and verifies the store. A round runs every cell (benchmark) once.
///
/// While no clock is running, the processors are kept busy: the trial that was timed most recently is verified, and the
/// next trials prepare their stores. Before a clock starts, every process that prepares is paused.
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
/// ``RoundLoop`` queries the queue and follows its decisions.
struct TrialQueue {
  struct Entry {
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
    /// The initial store is being copied and the process is being started. It cannot be paused yet.
    case starting
    case preparing
    case prepared
    case timing
    case verifying
    case over
  }

  private var entries: [Entry] = []
  private let isFirstRound: Bool
  private let isSequential: Bool

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - isFirstRound: Whether a benchmark waits for the same benchmark with fewer records, whose time shows whether
  ///     more records would take too long.
  ///   - isSequential: Whether a trial starts only after the end of the trial before it. Its clock then starts without
  ///     waiting for its gate.
  init(isFirstRound: Bool = false, isSequential: Bool = false) {
    (self.isFirstRound, self.isSequential) = (isFirstRound, isSequential)
  }

  var isTiming: Bool { entries.first?.stage == .timing }

  private var hasFreeProcessor: Bool { entries.count(where: \.isBusy) < Parallelism.besideNoClock }

  /// Whether the queue has room for a further trial (measuring process) now.
  var hasRoom: Bool {
    if entries.isEmpty { return true }
    return !isSequential && !isTiming && hasFreeProcessor
      && entries.count(where: \.isAhead) < Parallelism.trialsAhead
  }

  func admits(_ cell: Cell) -> Bool {
    if entries.isEmpty { return true }
    if !hasRoom { return false }
    // A process with a memory limit runs alone.
    if cell.memory != nil || entries.contains(where: { $0.cell.memory != nil }) { return false }
    if isFirstRound, entries.contains(where: { SizeSeries($0.cell) == SizeSeries(cell) }) { return false }
    let bytes = entries.reduce(PlanEstimate.bytes(cell)) { $0 + PlanEstimate.bytes($1.cell) }
    return bytes <= Parallelism.bytesInRow
  }

  mutating func add(_ position: Int, _ cell: Cell, _ turn: TrialGate) {
    entries.append(Entry(position: position, cell: cell, turn: turn, stage: isSequential ? .timing : .starting))
  }

  mutating func started(_ position: Int) {
    change(position) { if $0.stage == .starting { $0.stage = .preparing } }
  }

  mutating func prepared(_ position: Int) { change(position) { if $0.isAhead { $0.stage = .prepared } } }

  mutating func stopped(_ position: Int) { change(position) { if $0.stage == .timing { $0.stage = .verifying } } }

  mutating func ended(_ position: Int, _ trial: Trial) {
    change(position) { ($0.stage, $0.trial) = (.over, trial) }
  }

  /// Removes the first trial (measuring process) from the queue and returns it; nil if it is not over. A later trial
  /// that ended early waits for the trials before it, so that the journal of results is in order.
  mutating func takeEnded() -> (position: Int, trial: Trial)? {
    guard let first = entries.first, let trial = first.trial else { return nil }
    entries.removeFirst()
    return (first.position, trial)
  }

  /// Lets processes continue that were paused while another was timed, if processors are free. Returns the gates by
  /// which the caller resumes them.
  mutating func goOn() -> [TrialGate] {
    guard !isTiming else { return [] }
    var turns: [TrialGate] = []
    for index in entries.indices where entries[index].isPaused {
      // A paused process whose store is prepared needs no processor, because it only waits.
      guard hasFreeProcessor || entries[index].stage != .preparing else { continue }
      entries[index].isPaused = false
      turns.append(entries[index].turn)
    }
    return turns
  }

  /// Begins to time the first trial (measuring process) of the queue. Returns the trial, and the gates by which the
  /// caller pauses other processes meanwhile. The result is nil if the store of the first trial is not prepared yet, or
  /// if another process is still being started.
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
