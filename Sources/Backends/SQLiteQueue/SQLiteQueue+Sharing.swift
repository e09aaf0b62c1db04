import StorageContract

/// Sharing of a database by several processes, as in GRDB's guide (Documentation.docc/DatabaseSharing.md). Connections
/// wait for locks.
extension SQLiteQueueBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      return ProcessShare(DeferredQueue(try open(environment)), losesNothing: true)
    }
    // The lock file, in place of NSFileCoordinator, lets only one process at a time open the database.
    let opening = try FileLock(at: environment.path("opening.lock"))
    let database = try opening.exclusively { try open(environment, isPool: environment.options[journal] != "delete") }
    return ProcessShare(database, losesNothing: true)
  }
}

/// A shared store with a deliberate mistake: a transaction takes the write lock only at its first change, as in GRDB
/// before version 7.
private struct DeferredQueue: SharedStore {
  private let database: QueueDatabase

  init(_ database: QueueDatabase) { self.database = database }

  var settings: String { database.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try database.read(body) }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try database.writeDeferred(body)
  }

  func settle() throws { try database.settle() }
  func close() throws { try database.close() }
}
