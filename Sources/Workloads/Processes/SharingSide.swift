import StorageContract

/// One of two processes that share a store. The process saves and reads, and counts errors and losses.
final class SharingSide {
  let side: Int
  let share: ProcessShare
  /// Whether the store must keep every acknowledged save. If false, a lost save is counted, not thrown as an error.
  let losesNothing: Bool
  private(set) var tally = SharingTally()
  /// The data records for the next saves, generated in advance. Nil if this process has no data records.
  private var prepared = Block<Record?>()
  private let board: SharedCounters
  private let lock: FileLock?
  private let records: SharedRecords
  /// A function called just before each commit, or nil. With the option `kill=yes`, the function makes the second
  /// process wait to be killed.
  var inTheMiddle: (() -> Void)?

  private var other: Int { 1 - side }

  /// Opens the store for one of the two processes that share it.
  ///
  /// - Parameters:
  ///   - side: The process: 0 for the first, 1 for the second.
  ///   - manner: The method of sharing, such as whether the processes use a lock file.
  ///   - board: The counters that both processes map into memory, to coordinate their saves.
  ///   - mayLose: Whether the loss of an acknowledged save is only counted, not thrown as an error.
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

  /// The settings of the shared store for the report, ending with `lock=yes` or `lock=no`.
  var settings: String { "\(share.store.settings) lock=\(lock == nil ? "no" : "yes")" }

  func prepare(_ count: Int) {
    let first = board[saved: side] + 1
    prepared = Block(first..<first + count) { records.own($0, of: side) }
  }

  private func own(_ number: Int) -> Record? {
    prepared.operations.contains(number) ? prepared[number] : records.own(number, of: side)
  }

  /// Makes one save, and checks that the store has all earlier saves of both processes. Returns whether the save
  /// succeeded.
  ///
  /// - Throws: If ``losesNothing`` is true: ``VerificationError`` for a lost save, or any ``StoreError`` except a
  ///   conflict between the processes. If false, errors are only counted.
  @discardableResult
  func save() throws -> Bool {
    let saved = board[saved: side]
    let told = board[saved: other]
    do {
      let (found, number) = try exclusively {
        try share.store.write { store in
          let found = try SharedRecords.numbers(store)
          // A save made despite an error, or by a killed process, has used its number.
          let number = (losesNothing ? max(saved, found.marks[side] ?? 0) : saved) + 1
          try SharedRecords.save(number, of: side, after: found, own(number), in: store)
          inTheMiddle?()
          return (found, number)
        }
      }
      board[saved: side] = number
      tally.saves += number - saved
      defer { tally.isUncertain = false }
      try check(found, told: told, own: saved)
      return true
    } catch let error as StoreError {
      try note(error)
      return false
    }
  }

  /// Reads the counts of saves from the store, and checks that the store has all acknowledged saves.
  ///
  /// - Throws: The same errors as ``save()``.
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
    // An engine that loses nothing may fail only because of conflicts between processes.
    if losesNothing, !error.isOfSharing { throw error }
    tally.add(error)
    if isSave, !error.isOfSharing { tally.isUncertain = true }
  }

  private func check(_ found: SharedRecords.Numbers, told: Int, own saved: Int) throws {
    if (found.marks[other] ?? 0) < told { tally.staleReads += 1 }
    guard losesNothing else { return }
    guard let counter = found.counter, let mark = found.marks[side], let others = found.marks[other] else {
      throw VerificationError("the store lacks the counter, or the number of the last save of one of the two processes")
    }
    if mark < saved {
      throw VerificationError(
        "an acknowledged save is gone: this process has made \(saved) saves, and the store holds \(mark)")
    }
    if others < told {
      throw VerificationError(
        "the store was read as it was before a save that had been acknowledged: the other process had made \(told) saves, "
          + "and the store showed \(others)")
    }
    if counter != mark + others {
      throw VerificationError(
        "an update was lost: the counter holds \(counter) of \(mark + others) saves of both processes")
    }
  }

  func report() -> SharingTally {
    var tally = tally
    tally.retries = share.retries()
    return tally
  }
}
