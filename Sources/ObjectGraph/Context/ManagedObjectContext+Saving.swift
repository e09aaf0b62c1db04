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
    try validate(pendingChanges())
    // Somebody else may save again between a conflict and the next try.
    for _ in 0..<100 {
      do {
        return try write(pendingChanges())
      } catch ObjectGraphError.conflicts(let conflicts) where mergePolicy != .error {
        for conflict in conflicts { try resolve(conflict) }
      } catch ObjectGraphError.constraints(let conflicts) where mergePolicy != .error {
        for conflict in conflicts { try resolve(conflict) }
      }
      try processPendingChanges()
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
    // Temporary keys count down: the first one made is the greatest.
    let inserted = insertedObjects.sorted { left, right in
      left.entity.number == right.entity.number
        ? left.objectID.key > right.objectID.key : left.entity.number < right.entity.number
    }
    return PendingChanges(
      inserted: inserted,
      updated: updatedObjects.filter { $0.hasPersistentChangedValues }.sorted(by: order),
      deleted: deletedObjects.sorted(by: order))
  }

  private func write(_ pending: PendingChanges) throws {
    guard !pending.isEmpty else { return didSave(pending, [:], [:]) }
    var permanent: [ManagedObjectID: ManagedObjectID] = [:]
    var rows: [ManagedObjectID: Row] = [:]
    try persistentStoreCoordinator.save { transaction in
      permanent = try transaction.permanentIDs(for: pending.inserted.map { ($0.objectID, assignments[$0.objectID]) })
      let builder = ChangeBuilder(permanent: permanent, model: model)
      var changes: [StoreIdentifier: StoreChanges] = [:]
      for object in pending.inserted {
        let id = builder.id(object.objectID)
        let row = try builder.row(of: object, version: 1, in: id.origin)
        rows[id] = row
        changes[id.origin, default: StoreChanges()].inserted.append((id, row))
        try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
      }
      for object in pending.updated {
        let id = object.objectID
        let row = try builder.row(of: object, version: (object.row?.version ?? 0) + 1, in: id.origin)
        rows[id] = row
        let columns = row.values.indices.filter { index in
          object.flags.contains(.overwriting)
            || !(object.row.map { $0.values[index].isSame(as: row.values[index]) } ?? false)
        }
        changes[id.origin, default: StoreChanges()].updated.append(
          StoreChanges.Update(id: id, old: object.row, new: row, columns: columns))
        try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
      }
      for object in pending.deleted {
        let id = object.objectID
        changes[id.origin, default: StoreChanges()].deleted.append((id, object.row?.version))
        try builder.addLinks(of: object, id, &changes[id.origin, default: StoreChanges()])
      }
      try transaction.write(changes, cached: rows)
    }
    didSave(pending, permanent, rows)
  }

  // MARK: - After it

  private func didSave(
    _ pending: PendingChanges, _ permanent: [ManagedObjectID: ManagedObjectID], _ rows: [ManagedObjectID: Row]
  ) {
    let permanentID = { (id: ManagedObjectID) in permanent[id] ?? id }
    for object in pending.inserted {
      registered[object.objectID] = nil
      object.objectID = permanentID(object.objectID)
      registered[object.objectID] = object
    }
    for object in pending.inserted + Array(updatedObjects) {
      if let row = rows[object.objectID] { object.row = row }
      object.edits = []
      object.flags.subtract([.inserted, .updated, .overwriting])
      for (index, state) in object.relations.enumerated() {
        switch state {
        case .unloaded: break
        case .one: object.relations[index] = .unloaded
        case .many(var many):
          many.didSave(permanentID)
          object.relations[index] = .many(many)
        }
      }
    }
    for object in deletedObjects {
      registered[object.objectID] = nil
      object.flags.subtract([.deleted, .propagated, .overwriting])
      object.managedObjectContext = nil
      object.held = [:]
    }
    insertedObjects = []
    updatedObjects = []
    deletedObjects = []
    assignments = [:]
    guard !pending.isEmpty else { return }
    persistentStoreCoordinator.announce(
      SaveChanges(
        inserted: pending.inserted.map(\.objectID), updated: pending.updated.map(\.objectID),
        deleted: pending.deleted.map(\.objectID)),
      from: self)
  }

  // MARK: - Conflicts

  private func resolve(_ conflict: MergeConflict) throws {
    guard let object = registered[conflict.objectID] else { return }
    persistentStoreCoordinator.forget(conflict.objectID)
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
    guard
      let object = registered[conflict.objectID] ?? insertedObjects.first(where: { $0.objectID == conflict.objectID })
    else { return }
    guard let id = conflict.conflictingID, let stored = conflict.storedRow else {
      throw ObjectGraphError.constraints([conflict])
    }
    let other = self.object(with: id, row: stored)
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
  let permanent: [ManagedObjectID: ManagedObjectID]
  let model: ManagedObjectModel

  func id(_ id: ManagedObjectID) -> ManagedObjectID { permanent[id] ?? id }

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
