import StorageContract

/// The first process's side of a session in which a second process saves into the same store.
class SharedStoreOwner {
  final let context: SessionContext
  final let manner: SharingMode
  final let records: SharedRecords
  final var board: SharedCounters?
  final var side: SharingSide?
  final var partner: (any RunningSecondProcess)?
  final var findings: [Finding] = []
  /// Whether the second process makes no saves.
  var isAlone: Bool { false }
  /// The required content after the end: all acknowledged saves, except those that the engine was allowed to lose.
  final fileprivate var outcome: Expectation?

  init(_ context: SessionContext, _ manner: SharingMode) {
    self.context = context
    self.manner = manner
    records = SharedRecords(context.sharedSource, seed: context.seed)
  }

  /// Opens the store for the first process, and creates the counters of both processes if there are none.
  ///
  /// - Parameter mayLose: Whether the loss of an acknowledged save is only counted, not thrown as an error.
  @discardableResult
  final func open(mayLose: Bool = false) throws -> SharingSide {
    // While the store is open, any other open and close of its files in this process would release the locks of SQLite
    // and LMDB (fcntl(2); https://sqlite.org/howtocorrupt.html, 2.2).
    let board = try board ?? SharedCounters()
    self.board = board
    let side = try SharingSide(
      0, manner, board, records, opening: context.environment, as: context.backend, mayLose: mayLose)
    self.side = side
    return side
  }

  /// Compares the closed store with the acknowledged saves, and sets ``findings``.
  ///
  /// - Parameters:
  ///   - own: The counts of the first process, one element for each replaced store, and one for the last store.
  ///   - other: The counts of the second process; nil if it was killed, so that its last save may be in the store.
  /// - Throws: ``VerificationError`` if a save is lost that the engine had to keep, or ``StoreError``.
  final func judge(
    _ board: SharedCounters, _ side: SharingSide, _ own: [SharingTally], _ other: SharingTally?
  ) throws {
    let store = try context.open()
    defer { try? context.close(store) }
    let found = try OneThreadStore(store).read(SharedRecords.numbers)
    var saves = [board[saved: 0], board[saved: 1]]
    for (index, mayBeThere) in [side.tally.isUncertain, other?.isUncertain ?? true].enumerated()
    where mayBeThere && found.marks[index] == saves[index] + 1 {
      saves[index] += 1
    }
    let expectation = records.expectation(context.fixture, after: saves)
    var (outcome, lostRecords) = (expectation, 0)
    let lostUpdates = max(0, saves[0] + saves[1] - (found.counter ?? 0))
    if side.losesNothing {
      // The trial's final check compares the records.
      guard lostUpdates == 0 else {
        throw VerificationError(
          "\(lostUpdates) of \(saves[0] + saves[1]) saves of two processes were lost, "
            + "although every one of them had been acknowledged")
      }
    } else {
      for (index, source) in context.fixture.records.enumerated() {
        let collection = CollectionID(index)
        for position in 0..<source.count {
          let key = source.key(at: position)
          let (there, right) = (try store.record(key, in: collection), expectation.record(key, in: collection))
          guard let right, there.map({ !$0.isIdentical(to: right) }) ?? true else { continue }
          lostRecords += 1
          outcome.apply(there.map { .put($0, in: collection) } ?? .delete(key, in: collection))
        }
      }
    }
    self.outcome = outcome
    findings = SharingFinding.all(own, other, lostUpdates: lostUpdates, lostRecords: lostRecords)
  }
}

/// A session in which a second process saves into the store of the first process.
protocol SharingSession: SharedStoreOwner, WorkloadSession {}

extension SharingSession {
  func setUp() {}

  func expectation(after operations: Int) -> Expectation {
    outcome ?? records.expectation(context.fixture, after: [operations, isAlone ? 0 : operations])
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for side in 0..<2 { records.own(operation + 1, of: side)?.withView { hash.add($0) } }
    hash.add(UInt64(operation))
  }
}

extension SharingFinding {
  fileprivate static func all(
    _ own: [SharingTally], _ other: SharingTally?, lostUpdates lost: Int, lostRecords: Int
  ) -> [Finding] {
    let sides = own + (other.map { [$0] } ?? [])
    let errors = sides.reduce(into: [:]) { $0.merge($1.errors, uniquingKeysWith: +) }
    func sum(_ value: (SharingTally) -> Int) -> Double { Double(sides.reduce(0) { $0 + value($1) }) }
    var findings = [
      Finding(saves, Double(own.reduce(0) { $0 + $1.saves })), Finding(otherSaves, Double(other?.saves ?? 0)),
      Finding(lostUpdates, Double(lost)), Finding(Self.lostRecords, Double(lostRecords)),
      Finding(staleReads, sum(\.staleReads)), Finding(Self.errors, Double(errors.values.reduce(0, +))),
    ]
    findings += errors.sorted { $0.key < $1.key }.map { Finding("\(Self.errors)_\($0.key)", Double($0.value)) }
    if sum(\.retries) > 0 { findings.append(Finding(retries, sum(\.retries))) }
    guard let waits = other?.waits, waits.count > 0 else { return findings }
    let quantiles = [(otherP50, waits.quantile(0.5)), (otherP99, waits.quantile(0.99)), (otherMost, waits.longest)]
    return findings + quantiles.compactMap { name, value in value.map { Finding(name, Double($0), .max) } }
  }
}
