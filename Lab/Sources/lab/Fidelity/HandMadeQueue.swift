import Foundation
import GRDB
import StorageContract

// GRDB has a class with the same name.
import struct StorageContract.Record

/// A GRDB program as written by a reader of its documentation: `read` and `write`, cached statements, and a record
/// that reads its columns by index ("a plain struct optimized for fetching performance").
final class HandMadeQueue {
  let database: any DatabaseWriter
  private let isolatesReads: Bool

  /// Opens or creates a database in WAL mode without syncs.
  init(path: String, isPool: Bool, isolatesReads: Bool) throws {
    self.isolatesReads = isolatesReads
    var configuration = Configuration()
    configuration.busyMode = .timeout(2)
    if !isPool { configuration.journalMode = .wal }
    database =
      try isPool
      ? DatabasePool(path: path, configuration: configuration) : DatabaseQueue(path: path, configuration: configuration)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = OFF")
      try Self.create(db)
    }
  }

  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE records
        (id INTEGER PRIMARY KEY, name TEXT, "group" TEXT, score REAL, modified REAL, payload BLOB)
        """)
  }

  func save(_ records: [Record]) throws { try database.write { db in try Self.save(records, db) } }

  static func save(_ records: [Record], _ db: Database) throws {
    let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)")
    for record in records {
      try statement.execute(
        arguments: [record.id, record.name, record.group, record.score, record.modified, Data(record.payload)])
    }
  }

  func read(_ key: Int64) throws -> Record? {
    try isolatesReads
      ? database.read { db in try Self.record(key, db) } : database.unsafeRead { db in try Self.record(key, db) }
  }

  static func record(_ key: Int64, _ db: Database, isCached: Bool = true) throws -> Record? {
    let sql = #"SELECT id, name, "group", score, modified, payload FROM records WHERE id = ?"#
    let statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
    return try FetchedRecord.fetchOne(statement, arguments: [key])?.record
  }
}

/// A record with the same Swift values as in the adapter.
private struct FetchedRecord: FetchableRecord {
  let record: Record

  init(row: GRDB.Row) throws {
    record = Record(
      id: row[0], name: row[1], group: row[2], score: row[3], modified: row[4],
      payload: try row.withUnsafeData(atIndex: 5) { $0.map { [UInt8]($0) } ?? [] })
  }
}
