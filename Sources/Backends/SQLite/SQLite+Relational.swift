import StorageContract

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
      keys.append(sqlite.pointee.columnInt(statement, 0))
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
  func put(_ record: Record, in collection: CollectionID) throws { try apply(.put(record, in: collection)) }

  func execute(_ sql: String, _ keys: Int64...) throws -> Int {
    try withStatement(sql, keys) { try $1.run($0) }
  }

  func row(_ sql: String, _ keys: Int64...) throws -> [Int64]? {
    var row: [Int64]?
    try forEachRow(sql, keys) { statement in
      row = (0..<sqlite.pointee.columnCount(statement)).map { sqlite.pointee.columnInt(statement, $0) }
      return false
    }
    return row
  }
}
