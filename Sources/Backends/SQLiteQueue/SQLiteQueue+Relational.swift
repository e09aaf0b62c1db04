import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

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

    func put(_ record: Record, in collection: CollectionID) throws {
      try tables.apply(.put(record, in: collection), db)
    }

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
