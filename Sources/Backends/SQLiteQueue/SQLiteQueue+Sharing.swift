import StorageContract

/// GRDB's guide to sharing a database (Documentation.docc/DatabaseSharing.md): a pool, and so WAL; a busy timeout;
/// transactions that write are immediate, which GRDB 7 makes them itself; and one process at a time opens the database.
/// The guide has NSFileCoordinator for the last one, which Linux has not: a lock file does the same.
///
/// With `journal=delete` there is no pool: the guide's other rules hold.
extension SQLiteQueueBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      return ProcessShare(DeferredQueue(try open(environment)), losesNothing: true)
    }
    let opening = try FileLock(at: environment.path("opening.lock"))
    let database = try opening.exclusively { try open(environment, isPool: environment.options[journal] != "delete") }
    return ProcessShare(database, losesNothing: true)
  }
}

/// Transactions that take the lock for writing with their first change, as GRDB's before version 7 did.
private struct DeferredQueue: SharedStore {
  private let database: QueueDatabase

  init(_ database: QueueDatabase) { self.database = database }

  var settings: String { database.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try (database as any SharedStore).read(body)
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try database.writeDeferred(body)
  }

  func settle() throws { try database.settle() }
  func close() throws { try database.close() }
}
