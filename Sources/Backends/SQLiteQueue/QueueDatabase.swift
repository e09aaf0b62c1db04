import Foundation
import GRDB
import StorageContract

/// An SQLite database behind GRDB's DatabaseQueue or DatabasePool. Only a pool runs readers concurrently. Nested calls
/// throw an error.
final class QueueDatabase: Sendable {
  static let file = "store.sqlite"
  /// The maximum wait for another connection's lock on the database, in seconds. The value is FMDB's default.
  static let busyTimeout = 2.0

  let tables: QueueTables
  let database: any DatabaseWriter
  private let mode: SQLiteMode
  private let options: Options
  /// Whether each read has a transaction.
  private let isolatesReads: Bool
  private let defersLock: Bool
  let path: String
  private let gate = StoreGate(QueueDatabase.file)

  /// Opens or creates the database of a store. `isPool` overrides the option `pool`. With `defersLock`, a transaction
  /// takes the write lock only at its first change.
  init(_ environment: StoreEnvironment, isPool: Bool? = nil, defersLock: Bool = false) throws {
    let options = environment.options
    guard let mode = SQLiteQueueBackend.mode(environment.durability, options) else {
      throw StoreError.failed("pool=yes cannot have journal=delete: a DatabasePool always uses WAL")
    }
    (self.mode, self.options, self.defersLock) = (mode, options, defersLock)
    isolatesReads = options[SQLiteQueueBackend.read] == "isolated"
    path = environment.path(Self.file)
    tables = QueueTables(environment)
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(Self.busyTimeout)
      let pragmas = SQLiteFile.pragmas(options)
      if !pragmas.isEmpty { configuration.prepareDatabase { try $0.execute(sql: pragmas) } }
      let keys = tables.schema.keys
      if !keys.form.isOrdered {
        configuration.prepareDatabase { db in
          if let connection = db.sqliteConnection { try keys.addFunctions(to: connection) }
        }
      }
      if isPool ?? (options[SQLiteQueueBackend.pool] == "yes") {
        database = try DatabasePool(path: path, configuration: configuration)
      } else {
        if mode.journal == .wal { configuration.journalMode = .wal }
        database = try DatabaseQueue(path: path, configuration: configuration)
      }
      let creation = tables.schema.creation
      try database.writeWithoutTransaction { db in
        if options[SQLiteQueueBackend.journal] == "delete", mode.journal == .delete {
          try db.execute(sql: "PRAGMA journal_mode=delete")
        }
        // The sync level is set only here, because GRDB sets NORMAL in WAL mode after prepareDatabase.
        if environment.durability != .shipped, let synchronous = mode.synchronous {
          try db.execute(sql: "PRAGMA synchronous=\(synchronous.rawValue)")
        }
        do {
          try db.execute(sql: creation)
        } catch {
          // GRDB would end the process because of the transaction that the error leaves open.
          if db.isInsideTransaction { try? db.rollback() }
          throw error
        }
      }
    } catch {
      throw Self.translated(error, path)
    }
  }

  var settings: String {
    do {
      return try inBlock {
        try database.writeWithoutTransaction { db in
          let pairs: [String] = try (SQLiteFile.shownPragmas(options) + ["busy_timeout"]).map { name in
            let value = try String.fetchOne(db, sql: "PRAGMA \(name)")
            return "\(name)=\(value ?? "unknown")"
          }
          let words = [
            "pool=\(database is DatabasePool ? "yes" : "no")", "decode=\(options[SQLiteQueueBackend.decode])",
            "read=\(options[SQLiteQueueBackend.read])",
          ]
          let log = mode.journal == .wal ? SQLiteLogUse.settings(options) : []
          return (pairs + words + log + SQLiteLibrary.linked.settings).joined(separator: " ")
            + tables.schema.keys.settings
        }
      }
    } catch {
      return "error=\(String(describing: error).replacing(" ", with: "_"))"
    }
  }

  /// Runs a closure that makes a single SQL query. With the store option `read=unsafe`, GRDB begins no transaction for
  /// the query.
  func readOnce<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock { try isolatesReads ? database.read(body) : database.unsafeRead(body) }
  }

  func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock { try database.write(body) }
  }

  private func writeDeferred<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock {
      try database.writeWithoutTransaction { db in
        var result: Result?
        try db.inTransaction(.deferred) {
          result = try body(db)
          return .commit
        }
        guard let result else {
          throw StoreError.failed("\(Self.file): the engine ended the transaction without running its block")
        }
        return result
      }
    }
  }

  func create(_ sql: String) throws { try writeDeferred { try $0.execute(sql: sql) } }

  /// Opens all reader connections of a DatabasePool in advance, so that no timed save includes it.
  func openReaders() throws {
    guard let pool = database as? DatabasePool else { return }
    let count = pool.configuration.maximumReaderCount
    let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try inBlock {
      for _ in 0..<count {
        pool.asyncRead { _ in
          entered.signal()
          leave.wait()
        }
      }
      for _ in 0..<count { entered.wait() }
      for _ in 0..<count { leave.signal() }
    }
  }

  /// Waits until all running reads and writes of the database have ended.
  func waitForBlocks() throws {
    try inBlock { try database.barrierWriteWithoutTransaction { _ in } }
  }

  func settle() throws {
    guard mode.journal == .wal else { return }
    try inBlock { try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
  }

  func close() throws {
    try translating { try gate.close { try database.close() } }
  }

  // MARK: - Blocks

  /// Runs a closure while the database stays open. Throws if the database is closed, or if closures are nested.
  func inBlock<Result>(_ body: () throws -> Result) throws -> Result {
    try translating { try gate.pass(body) }
  }

  // MARK: - Errors

  /// A wrapper of an error that the caller's block has thrown, to distinguish the error from GRDB's own errors.
  private struct BodyError: Error {
    let error: any Error
  }

  /// Runs the caller's block, and wraps an error of the block in ``BodyError``.
  func lend<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw BodyError(error: error)
    }
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as BodyError {
      throw error.error
    } catch {
      throw Self.translated(error, path)
    }
  }

  static func translated(_ error: any Error, _ path: String) -> any Error {
    switch error {
    case let error as DatabaseError:
      StoreError(sqlite: error.extendedResultCode.rawValue, error.message ?? "no message", path: path)
    case is RowDecodingError: StoreError.damaged("\(Self.file): a row holds what no record has")
    case is StoreError, is RelationError: error
    default: StoreError.failed("\(Self.file): \(error)")
    }
  }
}

extension QueueDatabase: SharedStore {
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try inBlock { try database.read { db in try run(body, db) } }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    if defersLock { return try writeDeferred { db in try run(body, db) } }
    return try write { (db: Database) in try run(body, db) }
  }

  fileprivate func run<Result>(_ body: (QueueTransaction) throws -> Result, _ db: Database) throws -> Result {
    let transaction = QueueTransaction(self, db)
    defer { transaction.hasEnded = true }
    return try lend { try body(transaction) }
  }
}

final class QueueTransaction: StoreTransaction {
  private let queue: QueueDatabase
  private let db: Database
  private var scans: [CollectionID: Int] = [:]
  fileprivate var hasEnded = false

  init(_ queue: QueueDatabase, _ db: Database) {
    self.queue = queue
    self.db = db
  }

  private func inside<Result>(_ body: () throws -> Result) throws -> Result {
    if hasEnded {
      throw StoreError.failed("the transaction was used after its block; copy what you need inside the block")
    }
    return try queue.translating(body)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try inside({ try queue.tables.record(key, collection, db) }) else { return false }
    try record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try inside {
      let isNested = scans[collection, default: 0] > 0
      scans[collection, default: 0] += 1
      defer { scans[collection, default: 0] -= 1 }
      try queue.tables.scan(keys, collection, db, isNested: isNested) { record in
        try queue.lend { try record.withView(body) }
      }
    }
  }

  func count(in collection: CollectionID) throws -> Int { try inside { try queue.tables.count(collection, db) } }

  func apply(_ change: Change) throws {
    guard scans[change.collection, default: 0] == 0 else { throw StoreError.changeInsideScan(of: change.collection) }
    try inside { try queue.tables.apply(change, db) }
  }
}
