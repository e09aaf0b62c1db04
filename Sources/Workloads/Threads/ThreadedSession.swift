import StorageContract

/// The store of a session with one or more threads.
class ThreadedStore {
  final let blockSize: Int
  final let context: SessionContext
  final var store: (any SharedStore)?
  /// The threads that run the operations. If nil, the operations run in sequence on the caller's thread.
  final let team: ThreadTeam?

  init(_ context: SessionContext, blockSize: Int, team: ThreadTeam? = nil) {
    self.context = context
    self.blockSize = max(1, blockSize)
    self.team = team
  }

  /// Lets the engine finish deferred work, and closes the store.
  final func close() throws {
    guard let store else { return }
    self.store = nil
    try store.settle()
    if let own = store as? OneThreadStore { try context.close(own.store) } else { try context.closeShared(store) }
  }
}

/// A session with a store for several threads.
protocol SharedStoreSession: ThreadedStore, WorkloadSession {}

extension SharedStoreSession {
  var settings: String { store?.settings ?? "" }

  func setUp() throws { store = try context.openShared().value }

  var measuresItself: Bool { team != nil }
  func ownDuration(of operation: Int) -> Int64? { team?.duration(of: operation) }
  func ownElapsed(of operations: Range<Int>) -> Int64? { team?.elapsed }

  func finish() throws { try close() }
}

/// A session with one or more threads. Operations run in sequence if system calls are counted.
protocol ThreadedSession: SharedStoreSession {
  func perform(_ operation: Int, on store: any SharedStore) throws
}

extension ThreadedSession {
  var threads: Int { context.threads }

  func setUp() throws {
    store = threads > 1 ? try context.openShared().value : OneThreadStore(try context.open())
  }

  func perform(_ operation: Int) throws { try perform(operation, on: store.unsafelyUnwrapped) }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    let store = store.unsafelyUnwrapped
    if let team { return try team.perform(operations) { try perform($0, on: store) } }
    for operation in operations {
      try perform(operation, on: store)
      lap()
    }
  }
}

extension SessionContext {
  /// The threads for the operations of a ``ThreadedSession``, or nil if its operations run in sequence.
  var team: ThreadTeam? { threads > 1 && !isCounting ? ThreadTeam(workers: threads) : nil }
}
