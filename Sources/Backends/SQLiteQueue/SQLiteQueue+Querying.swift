import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

extension SQLiteQueueBackend: Querying {
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    // The key needs no index, because the table is ordered by the key.
    if field != .key { try queue.write { db in try queue.tables.createIndex(field, collection, db) } }
    return true
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try queue.readOnce { db in
      try queue.tables.find(query, collection, db) { record in try queue.lend { try record.withView(body) } }
    }
  }

  func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record] {
    try queue.readOnce { db in try queue.tables.records(query, collection, db) }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    let counts: [Int] = try rows(.count, predicate, collection) { $0[0] }
    return counts.first ?? 0
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try rows(.groupCounts, predicate, collection) { Grouped(group: $0[0], value: $0[1]) }
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try rows(.scores, predicate, collection) { ScoreSummary($0, from: 0) }.first ?? ScoreSummary()
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try rows(.groupScores, predicate, collection) {
      Grouped(group: $0[0], value: ScoreSummary($0, from: 1))
    }
  }

  private func rows<Value>(
    _ subject: SQLiteQuery.Subject, _ predicate: RecordPredicate, _ collection: CollectionID,
    _ value: (Row) -> Value
  ) throws -> [Value] {
    let schema = queue.tables.schema
    let query = SQLiteQuery(subject, predicate, in: try collection.checked(schema.tables.count))
    return try queue.readOnce { db in
      let rows = try Row.fetchCursor(db.cachedStatement(sql: schema.sql(query)), arguments: query.arguments)
      var values: [Value] = []
      while let row = try rows.next() { values.append(value(row)) }
      return values
    }
  }
}

extension ScoreSummary {
  fileprivate init(_ row: Row, from column: Int) {
    // SQLite returns NULL for a NaN sum, such as that of opposite infinities. GRDB would end the process on NULL as a
    // Double.
    let sum: Double? = row[column + 1]
    self.init(count: row[column], sum: sum ?? .nan, minimum: row[column + 2], maximum: row[column + 3])
  }
}
