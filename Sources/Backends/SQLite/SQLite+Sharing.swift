import StorageContract

/// Sharing in SQLite's documented way for several processes: write transactions start with BEGIN IMMEDIATE, and a busy
/// timeout waits for other processes (https://sqlite.org/lang_transaction.html, https://sqlite.org/rescode.html#busy).
/// The options determine the journal. With a rollback journal, readers and the writer also block each other.
extension SQLiteBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    // A deferred transaction that would lose an update fails at once, because waiting could not help.
    ProcessShare(try way == .documented ? openShared(environment) : DeferredSQLite(environment), losesNothing: true)
  }
}

/// A store with a deliberate mistake: its transactions start with a plain BEGIN and take the write lock only at their
/// first change. Another process can therefore write between a read and the change that is based on it.
private final class DeferredSQLite: SharedStore, @unchecked Sendable {
  // The class is Sendable only formally: an instance stays on the thread that opened it.

  private let store: SQLiteBackend

  init(_ environment: StoreEnvironment) throws {
    store = try SQLiteBackend(opening: environment, busyTimeout: SharedSQLite.busyTimeout)
  }

  var settings: String { store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try transaction(body) }
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result { try transaction(body) }

  private func transaction<Result>(_ body: (GuardedTransaction) throws -> Result) throws -> Result {
    try store.transacting(toRead: true) { try GuardedTransaction.run(on: store, body) }
  }

  func settle() throws { try store.settle() }
  func close() throws { try store.close() }
}

extension SQLiteBackend: Scheduled {
  static func busyOptions(_ options: Options) -> Options { options.giving(SQLiteFile.autocheckpoint, "8") }

  /// Makes a passive checkpoint in WAL mode. If another connection is making a checkpoint, this one does nothing and
  /// throws no error.
  func checkpoint() throws {
    guard mode.journal == .wal else { return }
    _ = try withConnection { try $0.text("PRAGMA wal_checkpoint(PASSIVE)") }
  }

  func findDamage() throws -> String? {
    let found = try withConnection { try $0.text("PRAGMA integrity_check(1)") }
    return found == "ok" ? nil : found ?? "no answer"
  }
}
