import StorageContract

/// An open transaction on an SQLite connection, for changing records and their links.
protocol SQLiteRelationSession {
  func put(_ record: Record, in collection: CollectionID) throws
  /// Runs an SQL statement with `keys` as its parameters `?1` and `?2`. Returns the number of inserted or deleted rows.
  func execute(_ sql: String, _ keys: Int64...) throws -> Int
  func row(_ sql: String, _ keys: Int64...) throws -> [Int64]?
}

extension SQLiteRelationSession {
  /// Applies changes of records and of links, in order. After an error, the caller must roll back the transaction.
  func apply(_ changes: [RelationChange], to relations: SQLiteRelations) throws {
    for change in changes {
      switch change {
      case .put(let record, let collection): try put(record, in: collection)
      case .delete(let key, let collection): try delete(key, relations[collection], relations)
      case .link(let source, let destination, let id): try link(source, destination, relations[id])
      case .unlink(let source, let destination, let id):
        _ = try execute(relations[id].delete, source, destination)
      }
    }
  }

  private func link(_ source: Int64, _ destination: Int64, _ links: SQLiteRelations.Links) throws {
    let isThere = try row(links.ends, source, destination) ?? [0, 0]
    let relationship = links.relationship
    guard isThere[0] == 1 else { throw RelationError.missing(key: source, collection: relationship.source) }
    guard isThere[1] == 1 else { throw RelationError.missing(key: destination, collection: relationship.destination) }
    _ = try execute(links.insert, source, destination)
  }

  private func delete(_ key: Int64, _ deletion: SQLiteRelations.Deletion, _ relations: SQLiteRelations) throws {
    guard try execute(deletion.reach, key) > 0 else { return }
    if let denial = deletion.denial, let found = try row(denial) {
      let relationship = try relations[RelationshipID(Int(found[0]))].relationship
      throw RelationError.denied(relationship: relationship.name, key: found[1], remaining: Int(found[2]))
    }
    for statement in deletion.removal { _ = try execute(statement) }
  }
}

extension SQLiteRelations? {
  func declared() throws -> SQLiteRelations {
    guard let self else { throw StoreError.undeclaredRelationship }
    return self
  }

  func links(of id: RelationshipID) throws -> SQLiteRelations.Links {
    guard let self else { throw RelationError.undeclared(id) }
    return try self[id]
  }
}
