import Foundation
import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

/// The SQLite tables of all collections, which are read and written in GRDB's usual ways.
struct QueueTables: Sendable {
  let schema: SQLiteRecordSchema
  /// The SQL texts of all statements. The first index is the collection, the second is the kind of statement.
  private let texts: [[String]]
  /// Whether records are decoded column by column, not as Decodable.
  private let decodesRows: Bool

  init(_ environment: StoreEnvironment) {
    let schema = SQLiteRecordSchema(collections: environment.collections, SQLiteKeys(environment.options))
    texts = schema.tables.indices.map { index in SQLiteRecordSchema.Statement.allCases.map { schema.sql($0, index) } }
    self.schema = schema
    decodesRows = environment.options[SQLiteQueueBackend.decode] == "row"
  }

  private func sql(_ statement: SQLiteRecordSchema.Statement, _ collection: CollectionID) throws -> String {
    texts[try collection.checked(texts.count)][statement.rawValue]
  }

  func apply(_ change: Change, _ db: Database) throws {
    if change.isDelete {
      try db.cachedStatement(sql: sql(.delete, change.collection)).execute(arguments: [argument(change.record.id)])
    } else {
      try put(change.record, change.collection, db)
    }
  }

  /// Returns a query or a deletion in a collection, and its prepared statement.
  func statement(
    _ subject: SQLiteQuery.Subject, _ predicate: RecordPredicate, _ collection: CollectionID, _ db: Database
  ) throws -> (GRDB.Statement, StatementArguments) {
    let query = SQLiteQuery(subject, predicate, in: try collection.checked(texts.count))
    return (try db.cachedStatement(sql: schema.sql(query)), query.arguments)
  }

  func put(_ record: Record, _ collection: CollectionID, _ db: Database) throws {
    try db.cachedStatement(sql: sql(.put, collection)).execute(
      arguments: [argument(record.id), record.name, record.group, record.score, record.modified, Data(record.payload)])
  }

  /// Returns the value of the key column for a record's key: the integer itself, or a UUID as text or bytes.
  private func argument(_ key: Int64) -> any DatabaseValueConvertible {
    let form = schema.keys.form
    return form.isOrdered ? key : form.isText ? form.text(key) : form.withBytes(of: key) { Data($0) }
  }

  func record(_ key: Int64, _ collection: CollectionID, _ db: Database) throws -> Record? {
    let statement = try db.cachedStatement(sql: sql(.read, collection))
    if decodesRows {
      let rows = try Row.fetchCursor(statement, arguments: [argument(key)])
      guard let row = try rows.next() else { return nil }
      return try record(row)
    }
    return schema.keys.form.isOrdered
      ? try StoredRecord<Int64>.fetchOne(statement, arguments: [argument(key)])?.record { $0 }
      : try StoredRecord<UUID>.fetchOne(statement, arguments: [argument(key)])?.record(schema.keys.form.key)
  }

  /// Passes the records in a range of keys to the body, in key order, until the body returns false. `isNested` means
  /// that another scan is running.
  func scan(
    _ keys: ClosedRange<Int64>, _ collection: CollectionID, _ db: Database, isNested: Bool = false,
    _ body: (Record) throws -> Bool
  ) throws {
    let sql = try sql(.scan, collection)
    let statement = try isNested ? db.makeStatement(sql: sql) : db.cachedStatement(sql: sql)
    try forEach(statement, [keys.lowerBound, keys.upperBound], body)
  }

  func find(_ query: RecordQuery, _ collection: CollectionID, _ db: Database, _ body: (Record) throws -> Bool) throws {
    let query = SQLiteQuery(query, in: try collection.checked(texts.count))
    try forEach(db.cachedStatement(sql: schema.sql(query)), query.arguments, body)
  }

  func records(_ query: RecordQuery, _ collection: CollectionID, _ db: Database) throws -> [Record] {
    var records: [Record] = []
    try find(query, collection, db) { record in
      records.append(record)
      return true
    }
    return records
  }

  /// Runs a statement and passes the record in each result row to the body, until the body returns false.
  func forEach(_ statement: GRDB.Statement, _ arguments: StatementArguments, _ body: (Record) throws -> Bool) throws {
    if decodesRows {
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while let row = try rows.next() {
        guard try body(try record(row)) else { return }
      }
    } else if schema.keys.form.isOrdered {
      let records = try StoredRecord<Int64>.fetchCursor(statement, arguments: arguments)
      while let stored = try records.next() {
        guard try body(stored.record { $0 }) else { return }
      }
    } else {
      let records = try StoredRecord<UUID>.fetchCursor(statement, arguments: arguments)
      while let stored = try records.next() {
        guard try body(stored.record(schema.keys.form.key)) else { return }
      }
    }
  }

  func count(_ collection: CollectionID, _ db: Database) throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: sql(.count, collection))) ?? 0
  }

  /// Returns the record in a row of the table.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` for an invalid UUID, and `RowDecodingError` for other unexpected values. For
  ///   such values, GRDB's subscripts would end the process.
  func record(_ row: Row) throws -> Record {
    let form = schema.keys.form
    return Record(
      id: form.isOrdered
        ? try row.decode(atIndex: 0)
        : try row.withUnsafeData(atIndex: 0) { try ($0 ?? Data()).withUnsafeBytes(form.key) },
      name: try row.decode(atIndex: 1), group: try row.decode(atIndex: 2),
      score: try row.decode(Double?.self, atIndex: 3) ?? .nan,
      modified: try row.decode(Double?.self, atIndex: 4) ?? .nan,
      payload: try row.withUnsafeData(atIndex: 5) { $0.map { [UInt8]($0) } ?? [] })
  }
}

/// A record as apps with GRDB declare it: a Decodable structure, which GRDB decodes from a row.
private struct StoredRecord<ID: Decodable>: Decodable, FetchableRecord {
  var id: ID
  var name: String
  var group: String
  /// The record's score. Nil stands for NaN, which SQLite cannot store.
  var score: Double?
  var modified: Double?
  var payload: Data

  func record(_ key: (ID) throws -> Int64) rethrows -> Record {
    Record(
      id: try key(id), name: name, group: group, score: score ?? .nan, modified: modified ?? .nan,
      payload: [UInt8](payload))
  }
}

extension KeyForm {
  /// Returns the integer key that belongs to a record's UUID.
  fileprivate func key(_ uuid: UUID) throws -> Int64 { try withUnsafeBytes(of: uuid.uuid) { try inBytes.key($0) } }
}

extension SQLiteQuery {
  /// The values for the placeholders in the query's SQL. A text with a NUL becomes a blob, because GRDB would cut the
  /// text at the NUL.
  var arguments: StatementArguments {
    var values: [(any DatabaseValueConvertible)?] = []
    forEachValue { value in
      switch value {
      case .text(let text) where text.utf8.contains(0): values.append(Data(text.utf8))
      case .text(let text): values.append(text)
      case .number(let number): values.append(number)
      case .integer(let number): values.append(number)
      }
    }
    return StatementArguments(values)
  }
}
