import StorageContract

/// One of two processes that share a store. The process saves and reads, and counts errors and losses.
///
/// If the store must lose nothing, each read must show all saves that were acknowledged before the read.
final class SharingSide {
  let side: Int
  let share: ProcessShare
  /// Whether the store must keep every acknowledged save. False if the processes may overwrite each other's saves, or
  /// if a killed process may damage the store.
  let losesNothing: Bool
  private(set) var tally = SharingTally()
  /// The records that this process stores in its next saves, made in advance because only saves are timed. The first
  /// record is for the save with number ``firstPrepared``. An element is nil if the store has no record for this
  /// process to change.
  private var prepared: [Record?] = []
  private var firstPrepared = 1
  /// Whether the last save threw an error, but may be in the store nevertheless.
  private(set) var isUncertain = false
  private let board: SharedCounters
  private let lock: FileLock?
  private let records: SharedRecords
  /// A function that each save calls just before its commit, or nil. With the option `kill=yes`, the second of two
  /// processes waits in this function until the first process kills it in the middle of the save.
  var inTheMiddle: (() -> Void)?

  private var other: Int { 1 - side }

  /// Opens the store for one of the two processes that share it. If `mayLose` is true, the store may lose acknowledged
  /// saves when a process is killed. Such losses are then counted, and not thrown as errors.
  ///
  /// - Throws: ``StoreError``.
  init(
    _ side: Int, _ manner: SharingMode, _ board: SharedCounters, _ records: SharedRecords,
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, mayLose: Bool = false
  ) throws {
    (self.side, self.board, self.records) = (side, board, records)
    let lock = try manner.hasLock ? FileLock(at: environment.path("shared.lock")) : nil
    self.lock = lock
    let open = { try Capability.sharing(opening: environment, as: backend, manner.way).value }
    share = try lock?.exclusively(open) ?? open()
    // A lock does not help a process that reads before it takes the lock.
    losesNothing = !mayLose && (share.losesNothing || manner.hasLock && manner.way == .documented)
  }

  /// The settings of the shared store for the report. They end with `lock=yes` if the processes use a lock file.
  var settings: String { "\(share.store.settings) lock=\(lock == nil ? "no" : "yes")" }

  func prepare(_ count: Int) {
    firstPrepared = board[saved: side] + 1
    prepared = (0..<count).map { records.own(firstPrepared + $0, of: side) }
  }

  private func own(_ number: Int) -> Record? {
    let index = number - firstPrepared
    return prepared.indices.contains(index) ? prepared[index] : records.own(number, of: side)
  }

  /// Makes one save into a store that two processes share, and checks whether earlier saves of both processes are lost.
  /// Returns whether the engine reported success. Errors that are not thrown are only counted.
  ///
  /// - Throws: ``VerificationError`` for a lost save, or ``StoreError`` for an error that is no conflict between the
  ///   processes. Neither is thrown if ``losesNothing`` is false.
  @discardableResult
  func save() throws -> Bool {
    let saved = board[saved: side]
    let told = board[saved: other]
    do {
      let (found, number) = try exclusively {
        try share.store.write { store in
          let found = try SharedRecords.numbers(store)
          // A save that was made despite an error, or although its process died, has used its number.
          let number = (losesNothing ? max(saved, found.marks[side] ?? 0) : saved) + 1
          try SharedRecords.save(number, of: side, after: found, own(number), in: store)
          inTheMiddle?()
          return (found, number)
        }
      }
      board[saved: side] = number
      tally.saves += number - saved
      defer { isUncertain = false }
      try check(found, told: told, own: saved)
      return true
    } catch let error as StoreError {
      try note(error)
      return false
    }
  }

  /// Reads the counts of saves in the store, and checks that the counts include all acknowledged saves of both
  /// processes. Throws the same errors as ``save()``.
  func read() throws {
    let saved = board[saved: side]
    let told = board[saved: other]
    do {
      let numbers = { try self.share.store.read { try SharedRecords.numbers($0) } }
      try check(lock?.shared(numbers) ?? numbers(), told: told, own: saved)
    } catch let error as StoreError {
      try note(error, isSave: false)
    }
  }

  func waited(_ duration: Int64) { tally.waits.add(duration) }

  private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    try lock?.exclusively(body) ?? body()
  }

  private func note(_ error: StoreError, isSave: Bool = true) throws {
    // An engine that loses nothing may only make a process wait or refuse its call.
    if losesNothing, !error.isOfSharing { throw error }
    tally.add(error)
    if isSave, !error.isOfSharing { isUncertain = true }
  }

  private func check(_ found: SharedRecords.Numbers, told: Int, own saved: Int) throws {
    if (found.marks[other] ?? 0) < told { tally.staleReads += 1 }
    guard losesNothing else { return }
    guard let counter = found.counter, let mark = found.marks[side], let others = found.marks[other] else {
      throw VerificationError(
        key: nil, "the store lacks the counter, or the number of the last save of one of the two processes")
    }
    if mark < saved {
      throw VerificationError(
        key: nil, "an acknowledged save is gone: this process has made \(saved) saves, and the store holds \(mark)")
    }
    if others < told {
      throw VerificationError(
        key: nil,
        "the store was read as it was before a save that had been acknowledged: the other process had made \(told) saves, "
          + "and the store showed \(others)")
    }
    if !found.agree {
      throw VerificationError(
        key: nil, "an update was lost: the counter holds \(counter) of \(mark + others) saves of both processes")
    }
  }

  func report() -> SharingTally {
    var tally = tally
    tally.retries = share.retries()
    return tally
  }
}
