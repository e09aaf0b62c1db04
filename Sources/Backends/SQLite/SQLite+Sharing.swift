import StorageContract

/// Sharing of a database by several processes: write transactions start with BEGIN IMMEDIATE, and connections wait for
/// locks. Sources: https://sqlite.org/lang_transaction.html, https://sqlite.org/rescode.html#busy.
extension SQLiteBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    // No update is lost: a deferred transaction whose reads are outdated fails at its first write.
    ProcessShare(try way == .documented ? openShared(environment) : DeferredSQLite(environment), losesNothing: true)
  }
}

/// A naive way to share an SQLite database: transactions start without the write lock. A change fails if another
/// process wrote after the transaction's first read.
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

  /// Makes a checkpoint that does not wait for other connections (PASSIVE). Does nothing without WAL mode or during
  /// another checkpoint.
  func checkpoint() throws {
    guard mode.journal == .wal else { return }
    _ = try withConnection { try $0.text("PRAGMA wal_checkpoint(PASSIVE)") }
  }

  func findDamage() throws -> String? {
    let found = try withConnection { try $0.text("PRAGMA integrity_check(1)") }
    return found == "ok" ? nil : found ?? "no answer"
  }
}

/// A second connection for another writer, whose commits the first one notices by `PRAGMA data_version`.
extension SQLiteBackend: SecondWriting, SecondWriter {
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String? {
    options[connection] == "kept"
      ? nil : "a connection that is opened for each operation cannot notice others; leave out connection=per-operation"
  }

  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter {
    seenVersion = try dataVersion()
    return try SQLiteBackend(opening: environment)
  }

  func hasNewCommits() throws -> Bool {
    guard let old = seenVersion else { return false }
    seenVersion = try dataVersion()
    return seenVersion != old
  }

  private func dataVersion() throws -> Int64? { try row("PRAGMA data_version")?.first }
}
