import StorageContract

/// Sharing by GRDB's guide to sharing a database (Documentation.docc/DatabaseSharing.md): a pool, and thus WAL; a busy
/// timeout; and immediate write transactions, which are the default in GRDB 7. Processes open the database one at a
/// time. For this the guide uses NSFileCoordinator; on Linux, a lock file replaces it.
///
/// With `journal=delete` there is no pool, but the guide's other rules apply.
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

/// A store with a deliberate mistake: its transactions take the write lock only at their first change, as in GRDB
/// before version 7.
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
