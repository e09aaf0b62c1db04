import StorageContract

extension SQLiteBackend: Querying {
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    let collectionIndex = try collection.checked(collectionCount)
    // The key needs no index, because the table is ordered by the key.
    if field != .key { try create(schema.indexCreation(field, collectionIndex)) }
    return true
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try forEachRow(SQLiteQuery(query, in: collection.checked(collectionCount))) { statement in
      try row.withView(statement, body)
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    var count = 0
    try forEachRow(SQLiteQuery(.count, predicate, in: collection.checked(collectionCount))) { statement in
      count = Int(sqlite.pointee.columnInt(statement, 0))
      return true
    }
    return count
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    var groups: [Grouped<Int>] = []
    try forEachRow(SQLiteQuery(.groupCounts, predicate, in: collection.checked(collectionCount))) { statement in
      groups.append(Grouped(group: text(statement, 0), value: Int(sqlite.pointee.columnInt(statement, 1))))
      return true
    }
    return groups
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    var summary = ScoreSummary()
    try forEachRow(SQLiteQuery(.scores, predicate, in: collection.checked(collectionCount))) { statement in
      summary = self.summary(statement, 0)
      return true
    }
    return summary
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    var groups: [Grouped<ScoreSummary>] = []
    try forEachRow(SQLiteQuery(.groupScores, predicate, in: collection.checked(collectionCount))) { statement in
      groups.append(Grouped(group: text(statement, 0), value: summary(statement, 1)))
      return true
    }
    return groups
  }

  private func forEachRow(_ query: SQLiteQuery, _ body: (OpaquePointer) throws -> Bool) throws {
    try withStatement(query) { try $1.forEachRow($0, body) }
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    String(decoding: row.bytes(statement, column), as: UTF8.self)
  }

  private func summary(_ statement: OpaquePointer, _ column: Int32) -> ScoreSummary {
    let count = Int(sqlite.pointee.columnInt(statement, column))
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
      case .number(let number): _ = sqlite.pointee.bindDouble(statement, index, number)
      case .integer(let number): _ = sqlite.pointee.bindInt(statement, index, Int64(number))
      case .text(let text): row.bindCopy(of: text, to: statement, index)
      }
    }
  }
}
