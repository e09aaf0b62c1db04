import Foundation
import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

extension SQLiteQueueBackend: Querying {
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    // The key needs no index, because the table is ordered by the key.
    guard field != .key else { return true }
    let schema = queue.tables.schema
    try queue.write { try $0.execute(sql: schema.indexCreation(field, collection.checked(schema.tables.count))) }
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
    try queue.readOnce { db in
      let (statement, arguments) = try queue.tables.statement(subject, predicate, collection, db)
      let rows = try Row.fetchCursor(statement, arguments: arguments)
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

/// Word search through GRDB by a word index (FTS5). Without an index, or for a word with other characters than letters
/// and digits, the search reads every text.
extension SQLiteQueueBackend: TextSearching {
  static func indexesWords(_ options: Options) -> Bool {
    SQLiteKeys(options).canIndexWords && SQLiteTextIndex.isThere()
  }

  func indexWords(in collection: CollectionID) throws {
    guard queue.tables.schema.keys.canIndexWords else {
      throw StoreError.failed("FTS5 cannot index the words of this table; leave out rowid=no and columns=json")
    }
    let index = try SQLiteTextIndex(collection, of: queue.tables.schema)
    try queue.write { db in
      if try String.fetchOne(db, sql: index.existence) == nil { try db.execute(sql: index.creation) }
    }
    // The first search in a collection checks for the index itself.
    if hasWordIndex[collection] != nil { hasWordIndex[collection] = true }
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try SQLiteTextIndex(collection, of: queue.tables.schema)
    // The existence of the index is checked only once, because an app knows its schema.
    let hasIndex =
      try hasWordIndex[collection] ?? queue.readOnce { try String.fetchOne($0, sql: index.existence) != nil }
    hasWordIndex[collection] = hasIndex
    return try queue.readOnce { (db: Database) -> [Record] in
      guard !word.text.isEmpty else { return [] }
      let isSearch = word.isPlain && hasIndex
      let text = isSearch ? SQLiteTextIndex.phrase(word) : word.text
      let isCast = text.utf8.contains(0)
      let statement = try db.cachedStatement(sql: isSearch ? index.search : index.walk(isCast: isCast))
      // A text with a NUL is passed as a blob, because GRDB binds a text only up to its first NUL.
      let argument = isCast ? Data(text.utf8).databaseValue : text.databaseValue
      var records: [Record] = []
      try queue.tables.forEach(statement, [argument]) { record in
        if record.withView({ word.isIn($0.name) }) { records.append(record) }
        return true
      }
      return records
    }
  }
}

/// Links between records, as rows of SQL tables, through GRDB.
extension SQLiteQueueBackend: Relational {
  func declare(_ schema: RelationSchema) throws {
    let relations = try SQLiteRelations(schema, over: queue.tables.schema)
    try queue.create(relations.creation)
    try queue.create(SQLiteRelations.notesCreation)
    self.relations = relations
  }

  func commit(_ changes: [RelationChange]) throws {
    let relations = try relations.declared()
    guard !changes.isEmpty else { return }
    try queue.write { db in try Session(tables: queue.tables, db: db).apply(changes, to: relations) }
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let sql = try relations.links(of: relationship).keys[direction.rawValue]
    return try queue.readOnce { db in try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [key]) }
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let sql = try relations.links(of: relationship).dangling[direction.rawValue]
    return try queue.readOnce { db in try Int64.fetchAll(db.cachedStatement(sql: sql)) }
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    let sql = try relations.links(of: relationship).walk[direction.rawValue]
    try queue.readOnce { db in
      try queue.tables.forEach(db.cachedStatement(sql: sql), [key]) { record in
        try queue.lend { try record.withView(body) }
      }
    }
  }

  private struct Session: SQLiteRelationSession {
    let tables: QueueTables
    let db: Database

    func apply(_ change: Change) throws { try tables.apply(change, db) }

    func execute(_ sql: String, _ keys: Int64...) throws -> Int {
      try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(keys))
      return db.changesCount
    }

    func row(_ sql: String, _ keys: Int64...) throws -> [Int64]? {
      let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: StatementArguments(keys))
      return try rows.next().map { row in (0..<row.count).map { row[$0] as Int64 } }
    }
  }
}
