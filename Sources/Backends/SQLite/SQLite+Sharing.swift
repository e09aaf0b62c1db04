import StorageContract

/// As SQLite's documentation has it for several processes: transactions that are to write begin by BEGIN IMMEDIATE, and a
/// busy timeout waits for the others (https://sqlite.org/lang_transaction.html, https://sqlite.org/rescode.html#busy).
/// The journal is what the options say: with a rollback journal readers are in the writer's way, too.
extension SQLiteBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    // Deferred transactions fail where they would lose something: at once, since waiting could not help.
    ProcessShare(
      try way == .documented ? openShared(environment) : DeferredSQLite(environment), losesNothing: true)
  }
}

/// Transactions that take the lock for writing with their first change, as a plain BEGIN does.
private final class DeferredSQLite: SharedStore, @unchecked Sendable {
  // Sendable in name only: it stays on the thread that opened it.

  private let store: SQLiteBackend

  init(_ environment: StoreEnvironment) throws {
    store = try SQLiteBackend(opening: environment, busyTimeout: SharedSQLite.busyTimeout)
  }

  var settings: String { store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try transaction(body) }
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result { try transaction(body) }

  private func transaction<Result>(_ body: (SQLiteTransaction) throws -> Result) throws -> Result {
    try store.transacting(toRead: true) {
      let transaction = SQLiteTransaction(on: store)
      defer { transaction.end() }
      return try body(transaction)
    }
  }

  func settle() throws { try store.settle() }
  func close() throws { try store.close() }
}
