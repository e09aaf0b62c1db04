import Contract
import Foundation
import GRDB
import GRDBSQLite

// GRDB has a class of the same name.
import struct Contract.Record

/// `sqlite-queue`: GRDB's DatabaseQueue, the FMDatabaseQueue of Swift, or its DatabasePool.
///
/// It is used as its documentation teaches: cached statements, one block of the queue for a batch, `read` for reads.
final class SQLiteQueueBackend: StorageBackend {
  private static let pool = OptionSpec("pool", ["no", "yes"], help: "DatabaseQueue or DatabasePool")
  private static let decode = OptionSpec(
    "decode", ["row", "codable"], help: "read rows by column index, or as a Decodable record")
  private static let journal = OptionSpec(
    "journal", ["auto", "wal", "delete"], help: "journal mode; auto leaves GRDB's when shipped, else WAL")

  static let description = BackendDescription(
    id: "sqlite-queue",
    summary: "GRDB's DatabaseQueue or DatabasePool, one block for a batch",
    safety: """
      As sqlite; GRDB itself chooses synchronous NORMAL in WAL mode, where a power cut can take back the last saves, \
      and writes a few pages whenever it opens a store in that mode. \
      Calling the store from inside a block that it runs is an error here, where GRDB would end the process.
      """,
    options: [pool, decode, journal],
    kind: { _ in .page },
    engineVersion: { "\(SQLiteLibrary.version) through GRDB 7" })

  private static let file = "store.sqlite"

  private let database: any DatabaseWriter
  private let mode: SQLiteMode
  private let schema: SQLiteSchema
  private let collectionCount: Int
  private let decodesRows: Bool
  /// Whether a block of the queue is running. Entering the queue again would trap inside GRDB.
  private var isInBlock = false

  /// Which mode the options and the durability come to, or nil if there is none.
  static func mode(_ durability: Durability, _ options: Options) -> SQLiteMode? {
    let isPool = options[pool] == "yes"
    switch options[journal] {
    case "delete": return isPool ? nil : .mode(.delete, durability)
    case "auto" where durability == .shipped && !isPool: return SQLiteMode(journal: .delete)
    // GRDB's own choice, whatever the library was compiled with.
    case _ where durability == .shipped: return SQLiteMode(journal: .wal, synchronous: .normal)
    default: return .mode(.wal, durability)
    }
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    guard let mode = mode(durability, options) else {
      return .unavailable("a DatabasePool always uses journal mode WAL")
    }
    return .level(mode.level)
  }

  init(opening environment: StoreEnvironment) throws {
    let options = environment.options
    guard let mode = Self.mode(environment.durability, options) else {
      throw StoreError.failed("pool=yes cannot have journal=delete: a DatabasePool always uses WAL")
    }
    self.mode = mode
    schema = SQLiteSchema(collections: environment.collections)
    collectionCount = environment.collections.count
    decodesRows = options[Self.decode] == "row"
    let path = environment.path(Self.file)
    do {
      var configuration = Configuration()
      if options[Self.pool] == "yes" {
        database = try DatabasePool(path: path, configuration: configuration)
      } else {
        if mode.journal == .wal { configuration.journalMode = .wal }
        database = try DatabaseQueue(path: path, configuration: configuration)
      }
      let isExplicitDelete = options[Self.journal] == "delete"
      let creation = schema.creation
      try database.writeWithoutTransaction { db in
        if isExplicitDelete { try db.execute(sql: "PRAGMA journal_mode=delete") }
        // Here and not in prepareDatabase, after which GRDB sets NORMAL in WAL mode.
        if environment.durability != .shipped, let synchronous = mode.synchronous {
          try db.execute(sql: "PRAGMA synchronous=\(synchronous.word)")
        }
        try db.execute(sql: creation)
      }
    } catch {
      throw Self.translated(error)
    }
  }

  var settings: String {
    do {
      return try inBlock {
        try database.writeWithoutTransaction { db in
          let pairs: [String] = try SQLiteSchema.shownPragmas.map { name in
            let value = try String.fetchOne(db, sql: "PRAGMA \(name)")
            return "\(name)=\(value ?? "unknown")"
          }
          return pairs.joined(separator: " ")
        }
      }
    } catch {
      return "error=\(String(describing: error).replacing(" ", with: "_"))"
    }
  }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try inBlock {
      try database.write { db in
        for change in changes {
          switch change.action {
          case .put(let record, let collection): try put(record, collection.checked(collectionCount), db)
          case .delete(let key, let collection):
            let sql = schema.sql(.delete, try collection.checked(collectionCount))
            try db.cachedStatement(sql: sql).execute(arguments: [key])
          }
        }
      }
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inBlock {
      try database.read { db in
        guard let record = try fetch(key, collection, db) else { return false }
        try lend { try record.withView(body) }
        return true
      }
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try inBlock { try database.read { db in try fetch(key, collection, db) } }
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try inBlock {
      try database.read { db in
        let sql = schema.sql(.scan, try collection.checked(collectionCount))
        let statement = try db.cachedStatement(sql: sql)
        let arguments: StatementArguments = [keys.lowerBound, keys.upperBound]
        if decodesRows {
          let rows = try Row.fetchCursor(statement, arguments: arguments)
          while let row = try rows.next() {
            let record = Self.record(row)
            guard try lend({ try record.withView(body) }) else { return }
          }
        } else {
          let records = try StoredRecord.fetchCursor(statement, arguments: arguments)
          while let stored = try records.next() {
            guard try lend({ try stored.record.withView(body) }) else { return }
          }
        }
      }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try inBlock {
      try database.read { db in
        let sql = schema.sql(.count, try collection.checked(collectionCount))
        return try Int.fetchOne(db.cachedStatement(sql: sql)) ?? 0
      }
    }
  }

  func settle() throws {
    guard mode.journal == .wal else { return }
    try inBlock { try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
  }

  func close() throws {
    try inBlock { try database.close() }
  }

  // MARK: - Blocks

  /// An error that came from the caller's body, which is handed back as it was.
  private struct BodyError: Error {
    let error: any Error
  }

  private func inBlock<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isInBlock else {
      throw StoreError.failed(
        "the queue was entered from inside one of its blocks, which would wait for itself")
    }
    isInBlock = true
    defer { isInBlock = false }
    do {
      return try body()
    } catch let error as BodyError {
      throw error.error
    } catch {
      throw Self.translated(error)
    }
  }

  private func lend<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw BodyError(error: error)
    }
  }

  private static func translated(_ error: any Error) -> any Error {
    switch error {
    case let error as DatabaseError:
      StoreError(
        sqlite: error.extendedResultCode.rawValue, error.message ?? "no message", file: Self.file)
    case is StoreError: error
    default: StoreError.failed("\(Self.file): \(error)")
    }
  }

  // MARK: - Rows

  private func put(_ record: Record, _ collection: Int, _ db: Database) throws {
    // GRDB binds a text up to its first NUL. The rest would be lost without a word, so such a text goes as a blob.
    let isCut = record.name.utf8.contains(0) || record.group.utf8.contains(0)
    guard isCut else {
      try db.cachedStatement(sql: schema.sql(.put, collection)).execute(
        arguments: [record.id, record.name, record.group, record.score, record.modified, Data(record.payload)])
      return
    }
    try db.cachedStatement(sql: schema.putWithTextsAsBlobs(collection)).execute(
      arguments: [
        record.id, Data(record.name.utf8), Data(record.group.utf8), record.score, record.modified,
        Data(record.payload),
      ])
  }

  private func fetch(_ key: Int64, _ collection: CollectionID, _ db: Database) throws -> Record? {
    let sql = schema.sql(.read, try collection.checked(collectionCount))
    let statement = try db.cachedStatement(sql: sql)
    if decodesRows {
      let rows = try Row.fetchCursor(statement, arguments: [key])
      return try rows.next().map(Self.record)
    }
    return try StoredRecord.fetchOne(statement, arguments: [key])?.record
  }

  private static func record(_ row: Row) -> Record {
    Record(
      id: row[0], name: (row[1] as WholeText).text, group: (row[2] as WholeText).text,
      score: row[3] as Double? ?? .nan, modified: row[4] as Double? ?? .nan, payload: [UInt8](row[5] as Data))
  }
}

/// A record as GRDB's users declare one.
private struct StoredRecord: Decodable, FetchableRecord {
  var id: Int64
  var name: WholeText
  var group: WholeText
  /// Nil where NaN was stored.
  var score: Double?
  var modified: Double?
  var payload: Data

  var record: Record {
    Record(
      id: id, name: name.text, group: group.text, score: score ?? .nan, modified: modified ?? .nan,
      payload: [UInt8](payload))
  }
}

/// A text read by its length. GRDB's own String ends at the first NUL.
private struct WholeText: Decodable, DatabaseValueConvertible, StatementColumnConvertible {
  let text: String

  init(sqliteStatement: SQLiteStatement, index: CInt) {
    let base = sqlite3_column_blob(sqliteStatement, index)
    let count = base == nil ? 0 : Int(sqlite3_column_bytes(sqliteStatement, index))
    text = String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  private init(_ text: String) { self.text = text }

  var databaseValue: DatabaseValue { text.databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> WholeText? {
    String.fromDatabaseValue(value).map(WholeText.init)
  }
}
