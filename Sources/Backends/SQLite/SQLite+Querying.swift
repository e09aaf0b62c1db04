import StorageContract

extension SQLiteBackend: Querying {
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    let collectionIndex = try collection.checked(collectionCount)
    // The key needs no index, because the table is ordered by the key.
    if field != .key { try create(schema.indexCreation(field, collectionIndex)) }
    return true
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try withStatement(SQLiteQuery(query, in: collection.checked(collectionCount))) { statement, connection in
      try connection.forEachRow(statement) { try row.withView($0, body) }
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    var count = 0
    try forEachRow(.count, predicate, collection) { count = Int(sqlite.pointee.column_int64($0, 0)) }
    return count
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    var groups: [Grouped<Int>] = []
    try forEachRow(.groupCounts, predicate, collection) {
      groups.append(Grouped(group: text($0, 0), value: Int(sqlite.pointee.column_int64($0, 1))))
    }
    return groups
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    var summary = ScoreSummary()
    try forEachRow(.scores, predicate, collection) { summary = self.summary($0, 0) }
    return summary
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    var groups: [Grouped<ScoreSummary>] = []
    try forEachRow(.groupScores, predicate, collection) {
      groups.append(Grouped(group: text($0, 0), value: summary($0, 1)))
    }
    return groups
  }

  private func forEachRow(
    _ subject: SQLiteQuery.Subject, _ predicate: RecordPredicate, _ collection: CollectionID,
    _ body: (OpaquePointer) -> Void
  ) throws {
    try withStatement(SQLiteQuery(subject, predicate, in: collection.checked(collectionCount))) {
      try $1.forEachRow($0) { statement in
        body(statement)
        return true
      }
    }
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    String(decoding: row.bytes(statement, column), as: UTF8.self)
  }

  private func summary(_ statement: OpaquePointer, _ column: Int32) -> ScoreSummary {
    let count = Int(sqlite.pointee.column_int64(statement, column))
    return ScoreSummary(
      count: count, sum: row.number(statement, column + 1),
      minimum: count == 0 ? nil : row.number(statement, column + 2),
      maximum: count == 0 ? nil : row.number(statement, column + 3))
  }
}

extension SQLiteQuery {
  func bind(to statement: OpaquePointer, _ row: SQLiteRow) {
    let sqlite = row.sqlite
    var index: Int32 = 0
    forEachValue { value in
      index += 1
      switch value {
      case .number(let number): _ = sqlite.pointee.bind_double(statement, index, number)
      case .integer(let number): _ = sqlite.pointee.bind_int64(statement, index, Int64(number))
      case .text(let text): row.bindCopy(of: text, to: statement, index)
      }
    }
  }
}

/// Word search by a word index (FTS5). Without an index, or for a word with other characters than letters and digits,
/// the search reads every text.
extension SQLiteBackend: TextSearching {
  static func indexesWords(_ options: Options) -> Bool {
    SQLiteKeys(options).canIndexWords
      && (try? SQLiteAccess(options)).map { SQLiteTextIndex.isThere(in: $0.library) } ?? false
  }

  func indexWords(in collection: CollectionID) throws {
    guard schema.keys.canIndexWords else {
      throw StoreError.failed("FTS5 cannot index the words of this table; leave out rowid=no and columns=json")
    }
    let index = try SQLiteTextIndex(collection, of: schema)
    if try row(index.existence) == nil { try create(index.creation) }
    // The first search in a collection checks for the index itself.
    if hasWordIndex[collection] != nil { hasWordIndex[collection] = true }
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try SQLiteTextIndex(collection, of: schema)
    // The existence of the index is checked only once, because an app knows its schema.
    let hasIndex = try hasWordIndex[collection] ?? (row(index.existence) != nil)
    hasWordIndex[collection] = hasIndex
    guard !word.text.isEmpty else { return [] }
    let isSearch = word.isPlain && hasIndex
    var records: [Record] = []
    try withStatement(isSearch ? index.search : index.walk(), []) { statement, connection in
      row.bindCopy(of: isSearch ? SQLiteTextIndex.phrase(word) : word.text, to: statement, 1)
      try connection.forEachRow(statement) { row in
        try self.row.withView(row) { if word.isIn($0.name) { records.append($0.record()) } }
        return true
      }
    }
    return records
  }
}

/// Links between records, as rows of SQL tables. Queries follow the links by joins.
extension SQLiteBackend: Relational {
  func declare(_ schema: RelationSchema) throws {
    let relations = try SQLiteRelations(schema, over: self.schema)
    try create(relations.creation)
    if isKept { try create(SQLiteRelations.notesCreation) }
    self.relations = relations
  }

  func commit(_ changes: [RelationChange]) throws {
    let relations = try relations.declared()
    guard !changes.isEmpty else { return }
    try transacting {
      // A connection that was opened for this commit alone does not have the temporary table yet.
      if !isKept { _ = try execute(SQLiteRelations.notesCreation) }
      try apply(changes, to: relations)
    }
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try keys(relations.links(of: relationship).keys[direction.rawValue], [key])
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try keys(relations.links(of: relationship).dangling[direction.rawValue], [])
  }

  private func keys(_ sql: String, _ bound: [Int64]) throws -> [Int64] {
    var keys: [Int64] = []
    try forEachRow(sql, bound) { statement in
      keys.append(sqlite.pointee.column_int64(statement, 0))
      return true
    }
    return keys
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    try forEachRow(relations.links(of: relationship).walk[direction.rawValue], [key]) { statement in
      try row.withView(statement, body)
    }
  }

  /// Runs SQL that creates missing tables and indexes, in one transaction.
  func create(_ sql: String) throws {
    try withConnection { connection in
      do {
        try connection.execute("BEGIN;\n\(sql);\nCOMMIT;")
      } catch {
        rollBack(connection)
        throw error
      }
    }
  }

  func forEachRow(_ sql: String, _ keys: [Int64], _ body: (OpaquePointer) throws -> Bool) throws {
    try withStatement(sql, keys) { try $1.forEachRow($0, body) }
  }
}

extension SQLiteBackend: SQLiteRelationSession {
  func execute(_ sql: String, _ keys: Int64...) throws -> Int {
    try withStatement(sql, keys) { try $1.run($0) }
  }

  func row(_ sql: String, _ keys: Int64...) throws -> [Int64]? {
    var row: [Int64]?
    try forEachRow(sql, keys) { statement in
      row = (0..<sqlite.pointee.column_count(statement)).map { sqlite.pointee.column_int64(statement, $0) }
      return false
    }
    return row
  }
}
