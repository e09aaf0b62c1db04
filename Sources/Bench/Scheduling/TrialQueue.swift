import StorageContract
import StorageRunFiles

/// The trials of a round that have been started and are not over, in the order of their turns.
///
/// While no clock is running, the processors are kept busy: the last trial is verified, and the next ones prepare their
/// stores. When a clock is to start, every process that prepares is paused.
///
///     Schedule           the order of a round's cells, by the seed
///        |
///     TrialQueue         decides which trial may start, prepare, be timed
///        |               starting > preparing > prepared > timing > verifying > over
///        |                             ^ paused while another one's clock runs
///     TrialGate          carries it out for one process: tells and waits, pauses (SIGSTOP) and lets go on
///        |
///     TrialLauncher      starts the process and reads its answer; its ClockGate waits for the start signal
///        |
///     LaunchLimit        ends a process that takes too long, or shows no sign of life
///
/// ``Runner`` asks the queue and does what it says.
struct TrialQueue {
  /// One of them.
  struct Entry {
    /// The place in the round, counted from 0.
    let place: Int
    let cell: Cell
    let turn: TrialGate
    fileprivate var stage = Stage.starting
    fileprivate var isPaused = false
    fileprivate var trial: Trial?

    /// Whether a processor works for it.
    fileprivate var isBusy: Bool { !isPaused && [.starting, .preparing, .verifying].contains(stage) }
    fileprivate var isAhead: Bool { [.starting, .preparing, .prepared].contains(stage) }
  }

  fileprivate enum Stage {
    /// This program copies its fixture and starts its process, which cannot be paused.
    case starting
    case preparing
    case prepared
    case timing
    case verifying
    case over
  }

  private var entries: [Entry] = []
  private let isFirstRound: Bool

  /// - Parameter isFirstRound: Whether a larger size waits for what the smaller ones of its cell say: whether it is tried
  ///   at all.
  init(isFirstRound: Bool) { self.isFirstRound = isFirstRound }

  /// Whether a clock is running: nothing may be started then.
  var isTiming: Bool { entries.first?.stage == .timing }

  private var hasFreeProcessor: Bool { entries.count(where: \.isBusy) < Parallelism.besideNoClock }

  /// Whether another process may be started to prepare its store.
  func admits(_ cell: Cell) -> Bool {
    if entries.isEmpty { return true }
    if isTiming || !hasFreeProcessor || entries.count(where: \.isAhead) >= Parallelism.trialsAhead { return false }
    // Where memory is what is measured, a process is alone.
    if cell.memory != nil || entries.contains(where: { $0.cell.memory != nil }) { return false }
    if isFirstRound, entries.contains(where: { SizeSeries($0.cell) == SizeSeries(cell) }) { return false }
    let bytes = entries.reduce(PlanEstimate.bytes(cell)) { $0 + PlanEstimate.bytes($1.cell) }
    return bytes <= Parallelism.bytesInRow
  }

  /// Adds a trial that is being started.
  mutating func add(_ place: Int, _ cell: Cell, _ turn: TrialGate) {
    entries.append(Entry(place: place, cell: cell, turn: turn))
  }

  /// Notes that a trial's process is there.
  mutating func started(_ place: Int) {
    change(place) { if $0.stage == .starting { $0.stage = .preparing } }
  }

  /// Notes that a trial's store is prepared.
  mutating func prepared(_ place: Int) { change(place) { if $0.isAhead { $0.stage = .prepared } } }

  /// Notes that a trial's clock has stopped.
  mutating func stopped(_ place: Int) { change(place) { if $0.stage == .timing { $0.stage = .verifying } } }

  /// Notes that a trial's process has exited and its files are gone.
  mutating func ended(_ place: Int, _ trial: Trial) {
    change(place) { ($0.stage, $0.trial) = (.over, trial) }
  }

  /// Takes the first trial out, if it is over: it belongs into the journal now. One that is over before its turn, since
  /// it has failed, waits for it all the same.
  mutating func takeEnded() -> Trial? {
    guard let trial = entries.first?.trial else { return nil }
    entries.removeFirst()
    return trial
  }

  /// Those that were paused for a clock and go on now: the first of them, as processors are free.
  mutating func goOn() -> [TrialGate] {
    guard !isTiming else { return [] }
    var turns: [TrialGate] = []
    for index in entries.indices where entries[index].isPaused {
      // One that had just come to the end of it only has to wait.
      guard hasFreeProcessor || entries[index].stage != .preparing else { continue }
      entries[index].isPaused = false
      turns.append(entries[index].turn)
    }
    return turns
  }

  /// The trial whose clock starts now, the first, and those that are paused for it; nil where it has to wait until its own
  /// store is prepared, or another's process is there.
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

  private mutating func change(_ place: Int, _ body: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.place == place }) else { return }
    body(&entries[index])
  }
}
