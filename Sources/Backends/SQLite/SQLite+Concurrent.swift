import Foundation
import StorageContract

/// Access from many threads: the writer and each reader have a connection. Without WAL mode, readers and the writer
/// wait for each other.
extension SQLiteBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore { try SharedSQLite(environment) }

  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { keepsLog(durability, options) }
}

final class SharedSQLite: SharedStore, @unchecked Sendable {
  // The class is Sendable because only one block at a time uses a connection, and a lock protects the pool.

  /// The maximum wait in milliseconds for a database lock that another process or a checkpoint holds.
  static let busyTimeout: Int32 = 2_000

  private let environment: StoreEnvironment
  private let isWAL: Bool
  private let gate = StoreGate(SQLiteBackend.file)
  private let writing = NSLock()
  /// The lock that readers share and the writer holds alone, in journal modes other than WAL.
  private let turns = ReadWriteLock()
  private let writer: SQLiteBackend
  private let poolLock = NSLock()
  private var pool: [SQLiteBackend] = []

  init(_ environment: StoreEnvironment) throws {
    self.environment = environment
    isWAL = SQLiteBackend.mode(environment.durability, environment.options)?.journal == .wal
    writer = try SQLiteBackend(opening: environment, busyTimeout: Self.busyTimeout)
  }

  deinit { try? close() }

  var settings: String { (try? gate.pass(taking: writing) { writer.settings }) ?? "unknown" }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    // Threads wait by a lock, because SQLite's busy handler sleeps between attempts.
    try gate.pass { isWAL ? try snapshot(body) : try turns.shared { try snapshot(body) } }
  }

  private func snapshot<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    let reader =
      try poolLock.withLock { pool.popLast() } ?? SQLiteBackend(opening: environment, busyTimeout: Self.busyTimeout)
    defer { poolLock.withLock { pool.append(reader) } }
    return try reader.transacting(toRead: true) { try GuardedTransaction.run(on: reader, body) }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      isWAL ? try writer.transaction(body) : try turns.alone { try writer.transaction(body) }
    }
  }

  func settle() throws { try gate.pass(taking: writing) { try turns.alone { try writer.settle() } } }

  func close() throws {
    try gate.close(taking: writing) {
      // The last connection that closes makes the checkpoint.
      for reader in pool { try reader.close() }
      pool = []
      try writer.close()
    }
  }
}

extension SQLiteBackend: Transactional, TransactionEngine {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try transacting { try GuardedTransaction.run(on: self, body) }
  }
}
