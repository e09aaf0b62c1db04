/// The objects that a save has to do with, each list in the order in which it is written.
struct PendingChanges {
  var inserted: [ManagedObject]
  var updated: [ManagedObject]
  var deleted: [ManagedObject]

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension ManagedObjectContext {
  /// Writes everything that was changed, in one transaction, or nothing.
  ///
  /// - Throws: ``ObjectGraphError/validation(_:)``, ``ObjectGraphError/conflicts(_:)``,
  ///   ``ObjectGraphError/constraints(_:)``, the error that a property could not throw, or what the store says. Then
  ///   the store is as before, and the changes are still here.
  public func save() throws {
    checkQueue()
    try processPendingChanges()
    try throwKeptError()
    try realizeChangedFaults()
    var pending = pendingChanges()
    try validate(pending)
    // Somebody else may save again between a conflict and the next try.
    for _ in 0..<100 {
      do {
        return try write(pending)
      } catch ObjectGraphError.conflicts(let conflicts) where mergePolicy != .error {
        for conflict in conflicts { try resolve(conflict) }
      } catch ObjectGraphError.constraints(let conflicts) where mergePolicy != .error {
        for conflict in conflicts { try resolve(conflict) }
      }
      try processPendingChanges()
      try realizeChangedFaults()
      pending = pendingChanges()
    }
    throw ObjectGraphError.busy(
      file: persistentStoreCoordinator.fileNames, "others change the same objects all the time")
  }

  /// Reads the rows of objects of which nothing but a relationship was changed, from its other end: their versions are
  /// needed.
  private func realizeChangedFaults() throws {
    let faults = updatedObjects.filter { $0.isFault && $0.row == nil }
    guard !faults.isEmpty else { return }
    _ = try realized(faults.map(\.objectID))
    for object in faults where object.row == nil {
      // Somebody has deleted it. Letting go of it is all right, taking hold of it is not.
      let isWanted = object.relations.contains { state in
        switch state {
        case .unloaded: false
        case .one(let id): id != nil
        case .many(let many): !many.added.isEmpty
        }
      }
      guard !isWanted else { throw ObjectGraphError.inaccessible(object.objectID) }
      updatedObjects.remove(object)
      revert(object)
    }
  }

  private func pendingChanges() -> PendingChanges {
    let order = { (left: ManagedObject, right: ManagedObject) in
      ManagedObjectID.isOrdered(left.objectID, right.objectID)
    }
    var inserted = newObjects.filter { $0.isInserted && !$0.isDeleted }
    // In the order in which they were made, entity by entity.
    if let first = inserted.first, !inserted.allSatisfy({ $0.entity === first.entity }) {
      let entities = Dictionary(grouping: inserted) { $0.entity.number }
      inserted = entities.keys.sorted().flatMap { entities[$0] ?? [] }
    }
    return PendingChanges(
      inserted: inserted,
      updated: updatedObjects.filter { $0.hasPersistentChangedValues }.sorted(by: order),
      deleted: deletedObjects.sorted(by: order))
  }

  private func write(_ pending: PendingChanges) throws {
    guard !pending.isEmpty else { return didSave(pending, ChangeBuilder(), [], []) }
    var builder = ChangeBuilder()
    var (insertedRows, updatedRows): ([Row], [Row]) = ([], [])
    try persistentStoreCoordinator.save { transaction in
      builder = ChangeBuilder(pending.inserted, try transaction.permanentIDs(for: pending.inserted, assignments))
      var changes: [StoreIdentifier: StoreChanges] = [:]
      insertedRows.reserveCapacity(pending.inserted.count)
      for (object, id) in zip(pending.inserted, builder.ids) {
        let row = try builder.row(of: object, version: 1, in: id.origin)
        insertedRows.append(row)
        changes[id.origin, default: StoreChanges()].inserted.append((id, row))
        if !object.relations.isEmpty {
          try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
        }
      }
      for object in pending.updated {
        let id = object.objectID
        let old = object.row
        let row = try builder.row(of: object, version: (old?.version ?? 0) + 1, in: id.origin)
        updatedRows.append(row)
        let columns = row.values.indices.filter { index in
          guard let old, !object.flags.contains(.overwriting) else { return true }
          return !old.values[index].isSame(as: row.values[index])
        }
        changes[id.origin, default: StoreChanges()].updated.append(
          StoreChanges.Update(id: id, old: old, new: row, columns: columns))
        try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
      }
      for object in pending.deleted {
        let id = object.objectID
        changes[id.origin, default: StoreChanges()].deleted.append((id, object.row?.version))
        try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
      }
      do {
        try transaction.write(changes)
      } catch ObjectGraphError.constraints(let conflicts) {
        // Nothing is saved, so new objects keep the IDs that they have.
        throw ObjectGraphError.constraints(
          conflicts.map { conflict in conflict.renamed { builder.temporaryID(for: $0, in: pending.inserted) } })
      }
    }
    didSave(pending, builder, insertedRows, updatedRows)
  }

  // MARK: - After it

  private func didSave(
    _ pending: PendingChanges, _ builder: ChangeBuilder, _ insertedRows: [Row], _ updatedRows: [Row]
  ) {
    registered.reserve(pending.inserted.count)
    for (place, object) in pending.inserted.enumerated() {
      object.objectID = builder.ids[place]
      object.row = insertedRows[place]
      settle(object, builder)
      registered.insert(object)
    }
    for (object, row) in zip(pending.updated, updatedRows) { object.row = row }
    for object in updatedObjects { settle(object, builder) }
    for object in deletedObjects {
      registered.remove(object.objectID)
      object.flags.subtract([.deleted, .propagated, .overwriting])
      object.managedObjectContext = nil
      object.forgetOthers()
    }
    for object in newObjects where object.isDeleted { object.managedObjectContext = nil }
    forgetNewObjects()
    updatedObjects = []
    deletedObjects = []
    assignments = [:]
    guard !pending.isEmpty else { return }
    if !pending.inserted.isEmpty { announce(ObjectChanges(saved: pending.inserted)) }
    persistentStoreCoordinator.announce(
      SaveChanges(
        inserted: builder.ids, updated: pending.updated.map(\.objectID), deleted: pending.deleted.map(\.objectID)),
      from: self)
  }

  /// What was changed is in the store now.
  private func settle(_ object: ManagedObject, _ builder: ChangeBuilder) {
    object.edits = []
    object.flags.subtract([.inserted, .updated, .overwriting])
    for (index, state) in object.relations.enumerated() {
      switch state {
      case .unloaded: break
      case .one: object.relations[index] = .unloaded
      case .many(var many):
        many.didSave(builder.id)
        object.relations[index] = .many(many)
      }
    }
  }

  // MARK: - Conflicts

  private func resolve(_ conflict: MergeConflict) throws {
    guard let object = registered[conflict.objectID] else { return }
    guard let stored = conflict.storedRow else {
      // Deleted by somebody else. Changes that are to win bring it back under its old key.
      if mergePolicy.keepsOwnChanges, !object.isDeleted {
        if object.edits.isEmpty {
          object.edits = object.row.map { Array($0.values.prefix(object.entity.attributes.count)) } ?? []
        }
        for relationship in object.entity.toOnes {
          object.setRelation(relationship, .one(try object.destination(of: relationship)))
        }
        object.row = nil
      } else {
        invalidate(object)
      }
      return
    }
    switch mergePolicy {
    case .error: break
    case .overwrite:
      object.row = Row(version: stored.version, values: object.row?.values ?? stored.values)
      object.flags.insert(.overwriting)
    case .mergeByPropertyObjectTrump:
      rebase(object, on: stored, keeping: { _, _, _ in true })
    case .mergeByPropertyStoreTrump:
      if object.isDeleted {
        undelete(object, stored)
      } else {
        rebase(object, on: stored, keeping: { old, stored, _ in old.isSame(as: stored) })
      }
    case .rollback:
      if object.isDeleted { undelete(object, stored) } else { discardChanges(of: object, row: stored) }
    }
  }

  private func resolve(_ conflict: ConstraintConflict) throws {
    guard let object = known(conflict.objectID) else { return }
    guard let id = conflict.conflictingID, let stored = conflict.storedRow else {
      throw ObjectGraphError.constraints([conflict])
    }
    let other = known(id) ?? self.object(with: id, row: stored)
    if mergePolicy.keepsOwnChanges {
      // The object that is there takes over the values, so that who refers to it goes on doing so.
      for attribute in object.entity.attributes {
        try other.setValue(try object.value(at: attribute.index), at: attribute.index)
      }
      for relationship in object.entity.toOnes {
        try other.set(relationship, to: try object.object(relationship))
      }
    }
    if object.isInserted {
      try delete(object)
    } else if let row = object.row {
      discardChanges(of: object, row: row)
    }
  }
}

/// Turns objects into rows.
struct ChangeBuilder {
  /// The permanent IDs of the new objects.
  let ids: [ManagedObjectID]
  /// By the temporary ones, where relationships may need them.
  private let permanent: [ManagedObjectID: ManagedObjectID]

  init(_ inserted: [ManagedObject] = [], _ ids: [ManagedObjectID] = []) {
    self.ids = ids
    let hasRelationships = inserted.contains { !$0.entity.relationships.isEmpty }
    permanent =
      hasRelationships ? Dictionary(uniqueKeysWithValues: zip(inserted.map(\.objectID), ids)) : [:]
  }

  /// The ID that an object has now which was to get this one.
  func temporaryID(for id: ManagedObjectID, in inserted: [ManagedObject]) -> ManagedObjectID {
    ids.firstIndex(of: id).map { inserted[$0].objectID } ?? id
  }

  func id(_ id: ManagedObjectID) -> ManagedObjectID { id.isTemporary ? permanent[id] ?? id : id }

  /// The row as it is to be.
  ///
  /// - Throws: ``ObjectGraphError/foreignObject(_:)`` for a relationship into another store, or to an object that has
  ///   not been saved and is not going to be.
  func row(of object: ManagedObject, version: Int64, in store: StoreIdentifier) throws -> Row {
    let entity = object.entity
    var values: [Value]
    if object.edits.isEmpty {
      values = object.row?.values ?? entity.defaultValues
    } else {
      values = object.edits
      if !entity.toOnes.isEmpty, let row = object.row { values += row.values[entity.attributes.count...] }
    }
    if values.count < entity.columns.count {
      values += Array(repeating: .null, count: entity.columns.count - values.count)
    }
    guard !object.relations.isEmpty else { return Row(version: version, values: values) }
    for relationship in entity.toOnes {
      guard case .column(let place) = relationship.storage, case .one(let id) = object.relations[relationship.index]
      else { continue }
      values[place] = try id.map { .integer(try key($0, relationship, of: entity, in: store)) } ?? .null
    }
    return Row(version: version, values: values)
  }

  /// The changes of the join tables that this object writes.
  func addLinks(of object: ManagedObject, _ id: ManagedObjectID, _ changes: inout StoreChanges) throws {
    guard !object.relations.isEmpty else { return }
    for relationship in object.entity.relationships {
      guard case .joinTable(_, _, _, writes: true) = relationship.storage,
        case .many(let many) = object.relations[relationship.index]
      else { continue }
      func links(_ ids: Set<ManagedObjectID>) throws -> [StoreChanges.Link] {
        try ids.map { self.id($0) }.sorted(by: ManagedObjectID.isOrdered).map {
          StoreChanges.Link(
            relationship: relationship, source: id.key,
            destination: try key($0, relationship, of: object.entity, in: id.origin))
        }
      }
      changes.addedLinks += try links(many.added.filter { !isGone($0, object) })
      changes.removedLinks += try links(many.removed.filter { !$0.isTemporary })
    }
  }

  /// Whether an object that was never saved has been deleted again.
  private func isGone(_ id: ManagedObjectID, _ object: ManagedObject) -> Bool {
    id.isTemporary && permanent[id] == nil
  }

  private func key(
    _ id: ManagedObjectID, _ relationship: Relationship, of entity: Entity, in store: StoreIdentifier
  ) throws -> Int64 {
    let id = self.id(id)
    guard id.origin == store, !id.isTemporary else {
      throw ObjectGraphError.foreignObject(
        "\(entity.name).\(relationship.name) leads to \(id), which is not in the same store")
    }
    return id.key
  }
}
