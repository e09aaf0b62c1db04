import StorageContract
import StorageRunFiles

/// The trials of a round that have been started and are not over, in the order of their turns: at most one whose clock
/// is running, or which is verifying, and those behind it, which prepare their stores or wait.
///
/// It decides what may happen next; ``Runner`` does it.
struct Row {
  /// One of them.
  struct Entry {
    /// The place in the round, counted from 0.
    let place: Int
    let cell: Cell
    let turn: Turn
    fileprivate var isPrepared = false
    fileprivate var hasBegun = false
    fileprivate var hasStopped = false
    fileprivate var trial: Trial?
  }

  private var entries: [Entry] = []
  /// Whether the next trials are being started: some at once, so that their preparing shares the processors, and then
  /// no more until all of them have had their turn, since every clock waits for whoever is preparing.
  private var isFilling = true

  private let isFirstRound: Bool

  /// - Parameter isFirstRound: Whether a larger size waits for what the smaller ones of its cell say: whether it is tried
  ///   at all.
  init(isFirstRound: Bool) { self.isFirstRound = isFirstRound }

  /// Whether a clock is running: nothing may be started then.
  var isTiming: Bool { entries.first.map { $0.hasBegun && !$0.hasStopped } ?? false }

  /// Whether another process may be started to prepare its store.
  func admits(_ cell: Cell) -> Bool {
    if entries.isEmpty { return true }
    if isTiming || !isFilling { return false }
    // Where memory is what is measured, a process is alone.
    if cell.memory != nil || entries.contains(where: { $0.cell.memory != nil }) { return false }
    if isFirstRound, entries.contains(where: { SizeSeries($0.cell) == SizeSeries(cell) }) { return false }
    let bytes = entries.reduce(Estimate.bytes(cell)) { $0 + Estimate.bytes($1.cell) }
    return bytes <= Parallelism.bytesInRow
  }

  /// Adds a trial whose process has been started.
  mutating func add(_ place: Int, _ cell: Cell, _ turn: Turn) {
    entries.append(Entry(place: place, cell: cell, turn: turn))
    if entries.count(where: { !$0.hasBegun }) >= Parallelism.trialsAhead { isFilling = false }
  }

  /// Notes that a trial's store is prepared.
  mutating func prepared(_ place: Int) { change(place) { $0.isPrepared = true } }

  /// Notes that a trial's clock has stopped.
  mutating func stopped(_ place: Int) { change(place) { $0.hasStopped = true } }

  /// Notes that a trial's process has exited and its files are gone.
  mutating func ended(_ place: Int, _ trial: Trial) {
    change(place) {
      $0.trial = trial
      $0.isPrepared = true
      $0.hasStopped = true
    }
  }

  /// Takes the first trial out, if it is over: it belongs into the journal now. One that is over before its turn, since
  /// it has failed, waits for it all the same.
  mutating func takeEnded() -> Trial? {
    guard let trial = entries.first?.trial else { return nil }
    entries.removeFirst()
    return trial
  }

  /// The trial whose clock starts now: the first, once nothing is running any more. Nil where it has to wait.
  mutating func begin() -> Entry? {
    guard let first = entries.first, !first.hasBegun, entries.allSatisfy(\.isPrepared) else { return nil }
    entries[0].hasBegun = true
    if entries.count == 1 { isFilling = true }
    return first
  }

  private mutating func change(_ place: Int, _ body: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.place == place }) else { return }
    body(&entries[index])
  }
}
