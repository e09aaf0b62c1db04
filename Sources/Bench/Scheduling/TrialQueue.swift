import StorageContract
import StorageRunFiles

/// The queue of a round's trials (processes). While one trial is timed, trials that prepare or verify stores are
/// paused.
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
    /// The process is being started, and cannot be paused yet.
    case starting
    case preparing
    case prepared
    case timing
    case verifying
    case over
  }

  /// Whether this is the first round, in which two sizes of a benchmark never run at once.
  var isFirstRound = false
  /// Whether a trial starts only after the previous one has ended.
  var isSequential = false
  private(set) var entries: [Entry] = []

  var isTiming: Bool { entries.first?.stage == .timing }

  private var hasFreeProcessor: Bool { entries.count(where: \.isBusy) < Parallelism.besideNoClock }

  /// Whether a further trial (measuring process) may be started now.
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
    if isFirstRound, entries.contains(where: { $0.cell.ofAnySize == cell.ofAnySize }) { return false }
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

  /// Removes the first trial (measuring process) and returns its result. Nil if the first trial has not ended, even if
  /// a later one has.
  mutating func takeEnded() -> (position: Int, trial: Trial)? {
    guard let first = entries.first, let trial = first.trial else { return nil }
    entries.removeFirst()
    return (first.position, trial)
  }

  /// Returns the gates (pause controls) of the processes to resume now. Empty while a process is timed.
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

  /// Begins to time the first trial (measuring process) in the queue.
  ///
  /// - Returns: The trial, and the gates (pause controls) of processes to pause; nil if the trial is not prepared, or
  ///   if another one is still being started.
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
