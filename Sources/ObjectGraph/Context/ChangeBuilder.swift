/// A builder of the rows that a save writes. In the rows, new objects have permanent IDs instead of temporary ones.
struct ChangeBuilder {
  let keys: [SaveTransaction.Keys]
  let ids: [ManagedObjectID]
  let hasRelationships: Bool
  /// The permanent IDs of the new objects, by temporary ID. Empty if the save writes no relationships.
  private let permanent: [ManagedObjectID: ManagedObjectID]

  init(_ pending: PendingChanges, _ keys: [SaveTransaction.Keys]) {
    self.keys = keys
    ids = keys.flatMap { keys in
      keys.indices.map {
        ManagedObjectID(entity: keys.entity, origin: keys.origin, key: keys.first + Int64($0 - keys.indices.lowerBound))
      }
    }
    hasRelationships =
      keys.contains { !$0.entity.relationships.isEmpty } || pending.updated.contains { !$0.relations.isEmpty }
      || pending.deleted.contains { !$0.relations.isEmpty }
    permanent =
      hasRelationships ? Dictionary(uniqueKeysWithValues: zip(pending.inserted.map(\.objectID), ids)) : [:]
  }

  /// Returns the temporary ID of the new object to which this save gave the permanent ID `id`, for conflict errors.
  /// Returns any other ID unchanged.
  func temporaryID(for id: ManagedObjectID, in inserted: [ManagedObject]) -> ManagedObjectID {
    for keys in keys where keys.entity === id.entity && keys.origin == id.origin {
      let number = id.key - keys.first
      if number >= 0, number < Int64(keys.indices.count) {
        return inserted[keys.indices.lowerBound + Int(number)].objectID
      }
    }
    return id
  }

  /// Returns the permanent ID of an object. Nil for a new object that was deleted before the save.
  func settledID(_ id: ManagedObjectID) -> ManagedObjectID? { id.isTemporary ? permanent[id] : id }

  /// Returns the values to write to an object's row, in the order of the table's columns.
  ///
  /// - Throws: ``ObjectGraphError/foreignObject(_:)`` if a to-one relationship leads to another store.
  func values(of object: ManagedObject, in store: StoreIdentifier) throws -> [Value] {
    let entity = object.entity
    var values: [Value]
    if object.edits.isEmpty {
      values = object.row.map { Array($0) } ?? entity.defaultValues
    } else {
      values = object.edits
      if !entity.toOnes.isEmpty, let row = object.row { values += row[entity.attributes.count...] }
    }
    if values.count < entity.columns.count {
      values += Array(repeating: .null, count: entity.columns.count - values.count)
    }
    guard !object.relations.isEmpty else { return values }
    for relationship in entity.toOnes {
      guard case .column(let columnIndex) = relationship.storage,
        case .one(let id) = object.relations[relationship.index]
      else { continue }
      values[columnIndex] =
        if let id = id.flatMap(settledID) { .integer(try key(id, relationship, of: entity, in: store)) } else { .null }
    }
    return values
  }

  /// Adds the changes of an object's many-to-many relationships to `changes`. `id` is the object's permanent ID.
  func addLinks(of object: ManagedObject, _ id: ManagedObjectID, _ changes: inout StoreChanges) throws {
    guard !object.relations.isEmpty else { return }
    for relationship in object.entity.relationships {
      guard case .joinTable(_, writes: true) = relationship.storage,
        case .many(let many) = object.relations[relationship.index]
      else { continue }
      func links(_ ids: Set<ManagedObjectID>) throws -> [StoreChanges.Link] {
        try ids.map { settledID($0) ?? $0 }.sorted(by: ManagedObjectID.isOrdered).map {
          StoreChanges.Link(
            relationship: relationship, source: id.key,
            destination: try key($0, relationship, of: object.entity, in: id.origin))
        }
      }
      changes.addedLinks += try links(many.added.filter { settledID($0) != nil })
      changes.removedLinks += try links(many.removed.filter { !$0.isTemporary })
      // All destinations are deleted as well. Otherwise the delete rule `deny` would have failed the save.
      if object.isDeleted, relationship.deleteRule == .deny { changes.removedLinks += try links(many.loaded ?? []) }
    }
  }

  private func key(
    _ id: ManagedObjectID, _ relationship: Relationship, of entity: Entity, in store: StoreIdentifier
  ) throws -> Int64 {
    guard id.origin == store, !id.isTemporary else {
      throw ObjectGraphError.foreignObject(
        "\(entity.name).\(relationship.name) leads to \(id) in another store; "
          + "link only objects of one store (assign(_:to:) chooses that of a new object)")
    }
    return id.key
  }
}

extension SaveTransaction {
  func allocateKeys(for new: [ManagedObject], _ assignments: [ManagedObjectID: PersistentStore]) throws -> [Keys] {
    func store(of object: ManagedObject) -> PersistentStore { assignments[object.objectID] ?? firstStore }
    var keys: [Keys] = []
    while case let start = keys.last?.indices.upperBound ?? 0, start < new.count {
      let (entity, first) = (new[start].entity, store(of: new[start]))
      let end = new[start...].firstIndex { object in
        object.entity !== entity || !assignments.isEmpty && store(of: object) !== first
      }
      keys.append(try allocateKeys(entity, in: first, for: start..<(end ?? new.count)))
    }
    try commitKeys()
    return keys
  }
}
