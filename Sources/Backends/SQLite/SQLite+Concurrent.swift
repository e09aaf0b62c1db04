import Foundation
import StorageContract

/// A connection for each reader that is under way, and one for the writer: SQLite's own way for many threads.
///
/// In WAL mode readers and the writer do not wait for each other. With a rollback journal the writer needs the database
/// for itself: here the threads of one process wait in a lock for that, and not in SQLite's busy handler, which sleeps.
extension SQLiteBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    try SharedSQLite(environment)
  }
}

final class SharedSQLite: SharedStore, @unchecked Sendable {
  // Sendable because only one block at a time has a connection, and the pool is used under its lock.

  /// Milliseconds for which other processes' locks are waited for, and those of a checkpoint.
  static let busyTimeout: Int32 = 2_000

  private let environment: StoreEnvironment
  private let isWAL: Bool
  private let gate = StoreGate(SQLiteBackend.file)
  /// One writer at a time.
  private let writing = NSLock()
  /// Between readers and the writer, where there is no WAL.
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

  var settings: String {
    do {
      return try gate.pass(taking: writing) { writer.settings }
    } catch {
      return "unknown"
    }
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass { isWAL ? try snapshot(body) : try turns.shared { try snapshot(body) } }
  }

  private func snapshot<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    let reader =
      try poolLock.withLock { pool.popLast() } ?? SQLiteBackend(opening: environment, busyTimeout: Self.busyTimeout)
    defer { poolLock.withLock { pool.append(reader) } }
    return try reader.transacting(toRead: true) {
      let snapshot = SQLiteTransaction(on: reader)
      defer { snapshot.end() }
      return try body(snapshot)
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      isWAL ? try writer.transaction(body) : try turns.alone { try writer.transaction(body) }
    }
  }

  func settle() throws { try gate.pass(taking: writing) { try turns.alone { try writer.settle() } } }

  func close() throws {
    try gate.close(taking: writing) {
      // The last one to close makes the checkpoint.
      for reader in pool { try reader.close() }
      pool = []
      try writer.close()
    }
  }
}
