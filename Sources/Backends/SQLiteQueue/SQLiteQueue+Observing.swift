import Foundation
import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

/// Observed lists by GRDB's ValueObservation. After every commit that changes a collection's table, GRDB fetches the
/// whole list again.
extension SQLiteQueueBackend: Observing {
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList {
    if lists.isEmpty { try queue.openReaders() }
    let list = QueueList(queue, told)
    try list.start(SectionedList.query(predicate), collection)
    try queue.waitForBlocks()
    lists.append(list)
    return list
  }

  func waitForLists() throws {
    lists.removeAll { $0.isStopped }
    guard !lists.isEmpty else { return }
    for list in lists { try list.wait() }
    try queue.waitForBlocks()
  }
}

/// A second writer of the store, in the same process. Possible only with `pool=yes` (DatabasePool), because a
/// DatabaseQueue has a single connection.
extension SQLiteQueueBackend: SecondWriting {
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String? {
    options[pool] == "yes"
      ? nil : "a DatabaseQueue is one connection, and its observations notice no other; give pool=yes"
  }

  func openSecondWriter(_ environment: StoreEnvironment) -> any SecondWriter { PoolWriter(pool: self) }

  private final class PoolWriter: SecondWriter {
    private let pool: SQLiteQueueBackend

    init(pool: SQLiteQueueBackend) { self.pool = pool }

    func commit(_ changes: [Change]) throws { try pool.commit(changes) }
    func close() {}
  }
}

/// A list that a GRDB observation keeps up to date: GRDB announces each relevant commit, and then fetches the list.
final class QueueList: ObservedList, @unchecked Sendable {
  private struct State {
    var announced = 0
    /// The number of commits whose changes the list contains. Nil before the list was first fetched.
    var known: Int?
    var isTracking = false
    var tells = false
    var isStopped = false
    var failure: (any Error)?
    var list = SectionedList()
  }

  private typealias Fetched = (announced: Int, rows: [Record])

  private static let screen = DispatchQueue(label: "lists on the screen")
  /// The maximum wait for an update of the list, in seconds. Without a limit, an update dropped by GRDB would block
  /// forever.
  private static let patience = 30.0

  private let queue: QueueDatabase
  private let told: @Sendable (ListUpdate) -> Void
  private let condition = NSCondition()
  private var state = State()
  private var observation: AnyDatabaseCancellable?

  init(_ queue: QueueDatabase, _ told: @escaping @Sendable (ListUpdate) -> Void) {
    (self.queue, self.told) = (queue, told)
  }

  private func locked<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    defer { condition.broadcast() }
    return body(&state)
  }

  func start(_ query: RecordQuery, _ collection: CollectionID) throws {
    let tables = queue.tables
    let observation = ValueObservation.trackingConstantRegion { [weak self] db in
      let announced = self?.locked { $0.announced } ?? 0
      return Fetched(announced: announced, rows: try tables.records(query, collection, db))
    }
    .handleEvents(
      willTrackRegion: { [weak self] _ in self?.locked { $0.isTracking = true } },
      databaseDidChange: { [weak self] in self?.locked { $0.announced += 1 } })
    self.observation = try queue.inBlock {
      observation.start(
        in: queue.database, scheduling: .async(onQueue: Self.screen),
        onError: { [weak self] error in self?.locked { $0.failure = error } },
        onChange: { [weak self] value in self?.take(value) })
    }
    try wait()
    // A DatabasePool fetches the list twice at the start, so only later values are reported.
    locked { $0.tells = true }
  }

  /// Replaces the observed list by newly fetched records, and passes the difference to the observer's closure. Calls
  /// run one at a time, on the queue ``screen``.
  private func take(_ value: Fetched) {
    let (old, tells) = locked { ($0.list, $0.tells && !$0.isStopped) }
    let list = SectionedList(value.rows)
    if tells { told(ListUpdate(list.difference(from: old), decodedRows: value.rows.count)) }
    locked { state in
      state.list = list
      state.known = max(state.known ?? 0, value.announced)
    }
  }

  func wait() throws {
    let deadline = Date(timeIntervalSinceNow: Self.patience)
    condition.lock()
    defer { condition.unlock() }
    while state.failure == nil, !state.isTracking || (state.known ?? -1) < state.announced {
      guard condition.wait(until: deadline) else {
        throw StoreError.failed("an observed list received no notification of a commit")
      }
    }
    if let failure = state.failure { throw QueueDatabase.translated(failure, queue.path) }
  }

  var isStopped: Bool { locked { $0.isStopped } }

  func list() throws -> SectionedList {
    try wait()
    return locked { $0.list }
  }

  func stop() {
    locked { $0.isStopped = true }
    observation?.cancel()
    observation = nil
  }
}
