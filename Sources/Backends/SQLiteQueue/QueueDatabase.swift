import Foundation
import GRDB
import StorageContract

/// A database behind GRDB's DatabaseQueue or DatabasePool, for every thread.
///
/// What FMDatabaseQueue promises holds: blocks run in the order in which they come and never at the same time (the
/// readers of a pool may), the caller waits until its block has returned, an error undoes the transaction. Entering a
/// queue from inside one of its blocks ends the process in GRDB, as FMDB's assertion does; here it is an error.
final class QueueDatabase: Sendable {
  static let file = "store.sqlite"
  /// The timeout in seconds for another connection's lock: FMDB's default, which GRDB leaves to its user.
  static let busyTimeout = 2.0

  let tables: QueueTables
  private let database: any DatabaseWriter
  private let mode: SQLiteMode
  private let isolatesReads: Bool
  let path: String
  /// The settings that no pragma returns.
  private let words: String
  private let gate = StoreGate(QueueDatabase.file)

  /// Opens or creates the database.
  ///
  /// - Parameters:
  ///   - environment: Where.
  ///   - mode: What it is to promise.
  ///   - isPool: Whether readers get connections of their own.
  ///   - setsJournal: Whether the journal mode is set even where it is the default.
  ///   - decodesRows: See ``QueueTables``.
  ///   - isolatesReads: See ``readOnce(_:)``.
  init(
    _ environment: StoreEnvironment, _ mode: SQLiteMode, isPool: Bool, setsJournal: Bool, decodesRows: Bool,
    isolatesReads: Bool
  ) throws {
    self.mode = mode
    self.isolatesReads = isolatesReads
    path = environment.path(Self.file)
    tables = QueueTables(collections: environment.collections, decodesRows: decodesRows)
    words =
      ([
        "pool=\(isPool ? "yes" : "no")", "decode=\(decodesRows ? "row" : "codable")",
        "read=\(isolatesReads ? "isolated" : "unsafe")",
      ] + (mode.journal == .wal ? SQLiteLogUse.settings(environment.options) : []) + SQLiteLibrary.settings)
      .joined(separator: " ")
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(Self.busyTimeout)
      let pragmas = SQLiteFile.pragmas(environment.options)
      if !pragmas.isEmpty { configuration.prepareDatabase { try $0.execute(sql: pragmas) } }
      if isPool {
        database = try DatabasePool(path: path, configuration: configuration)
      } else {
        if mode.journal == .wal { configuration.journalMode = .wal }
        database = try DatabaseQueue(path: path, configuration: configuration)
      }
      let creation = tables.creation
      try database.writeWithoutTransaction { db in
        if setsJournal, mode.journal == .delete { try db.execute(sql: "PRAGMA journal_mode=delete") }
        // Here and not in prepareDatabase, after which GRDB sets NORMAL in WAL mode.
        if environment.durability != .shipped, let synchronous = mode.synchronous {
          try db.execute(sql: "PRAGMA synchronous=\(synchronous.word)")
        }
        do {
          try db.execute(sql: creation)
        } catch {
          // It fails inside of its transaction, and GRDB ends the process where a block leaves one open.
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
          let pairs: [String] = try (SQLiteRecordSchema.shownPragmas + ["busy_timeout"]).map { name in
            let value = try String.fetchOne(db, sql: "PRAGMA \(name)")
            return "\(name)=\(value ?? "unknown")"
          }
          return (pairs + [words]).joined(separator: " ")
        }
      }
    } catch {
      return "error=\(String(describing: error).replacing(" ", with: "_"))"
    }
  }

  /// Runs a block that only reads.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock { try database.read(body) }
  }

  /// Runs a block that reads by one statement.
  ///
  /// Such a read is one transaction: it sees one state of the database beside any writer. GRDB's `read` also lets
  /// several statements see the same state and prevents writes, with four more statements (three for a pool's reader).
  /// With `read=unsafe` they are left out here, and nowhere else.
  func readOnce<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock { try isolatesReads ? database.read(body) : database.unsafeRead(body) }
  }

  /// Runs a block in a transaction, which an error undoes.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inBlock { try database.write(body) }
  }

  /// Returns the same in a transaction that takes the lock for writing with its first change.
  func writeDeferred<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try inBlock {
      try database.writeWithoutTransaction { db in
        var result: Result?
        try db.inTransaction(.deferred) {
          result = try run(body, db)
          return .commit
        }
        guard let result else {
          throw StoreError.failed(
            "\(Self.file): the engine ended a transaction before its block; the changes are lost, save again")
        }
        return result
      }
    }
  }

  /// Creates tables and indexes that are missing, in one transaction, which writes nothing if none is.
  func create(_ sql: String) throws {
    try inBlock {
      try database.writeWithoutTransaction { db in
        try db.inTransaction(.deferred) {
          try db.execute(sql: sql)
          return .commit
        }
      }
    }
  }

  /// Starts to observe; what is found comes on a queue.
  func start<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, on queue: DispatchQueue, onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) throws -> AnyDatabaseCancellable where Reducer.Value: Sendable {
    try inBlock {
      observation.start(in: database, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange)
    }
  }

  /// Opens the reader connections of a pool that have not been needed yet: how many lists fetch at the same time is up to
  /// the scheduler, and nobody's save should be counted with the opening of one.
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

  /// Returns when every connection has ended what it was doing: a value may be told before the transaction that read it
  /// is over.
  func waitForBlocks() throws {
    try inBlock {
      if let pool = database as? DatabasePool {
        try pool.barrierWriteWithoutTransaction { _ in }
      } else {
        database.writeWithoutTransaction { _ in }
      }
    }
  }

  /// Writes the file anew without the pages that nothing uses.
  func vacuum() throws { try inBlock { try database.vacuum() } }

  func settle() throws {
    guard mode.journal == .wal else { return }
    try inBlock { try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
  }

  /// Waits for the blocks that are running.
  func close() throws {
    try translating { try gate.close { try database.close() } }
  }

  // MARK: - Blocks

  /// GRDB runs a block on the thread that waits for it, so the gate knows who is inside. It would follow a null pointer
  /// in a database that is closed.
  private func inBlock<Result>(_ body: () throws -> Result) throws -> Result {
    try translating { try gate.pass(body) }
  }

  // MARK: - Errors

  /// An error that came from the caller's body, which is handed back as it was.
  private struct BodyError: Error {
    let error: any Error
  }

  /// Runs the caller's body, whose errors are its own.
  func lend<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw BodyError(error: error)
    }
  }

  /// Runs calls of GRDB, whose errors become the contract's.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as BodyError {
      throw error.error
    } catch {
      throw Self.translated(error, path)
    }
  }

  /// Returns an error of GRDB as one of the contract's.
  func translated(_ error: any Error) -> any Error { Self.translated(error, path) }

  private static func translated(_ error: any Error, _ path: String) -> any Error {
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
    try read { (db: Database) in try run(body, db) }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try write { (db: Database) in try run(body, db) }
  }

  fileprivate func run<Result>(_ body: (QueueTransaction) throws -> Result, _ db: Database) throws -> Result {
    let transaction = QueueTransaction(self, db)
    defer { transaction.end() }
    return try lend { try body(transaction) }
  }
}

/// The view of a block, valid while it runs.
final class QueueTransaction: StoreTransaction {
  private let queue: QueueDatabase
  private let db: Database
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  init(_ queue: QueueDatabase, _ db: Database) {
    self.queue = queue
    self.db = db
  }

  /// Makes every later call throw.
  func end() { hasEnded = true }

  private func inside<Result>(_ body: () throws -> Result) throws -> Result {
    if hasEnded { throw StoreError.failed("the record was used after its block; copy what you need inside the block") }
    return try queue.translating(body)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try inside({ try queue.tables.record(key, collection, db) }) else { return false }
    try record.withView(body)
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
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
    guard scans[change.collection, default: 0] == 0 else {
      throw StoreError.failed("collection \(change.collection.index) cannot be changed inside a scan of it")
    }
    try inside { try queue.tables.apply(change, db) }
  }
}
