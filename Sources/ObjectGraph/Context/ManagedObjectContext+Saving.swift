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
    // Somebody else may save again between a conflict and the next try.
    for attempt in 0..<100 {
      try validate(pendingChanges())
      // What an object did to be valid.
      try processPendingChanges()
      do {
        return try write(pendingChanges(), afterConflicts: attempt > 0)
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

  private func write(_ pending: PendingChanges, afterConflicts: Bool) throws {
    var permanent: [ManagedObjectID: ManagedObjectID] = [:]
    var rows: [ManagedObjectID: Row] = [:]
    do {
      if !pending.isEmpty { try write(pending, &permanent, &rows) }
    } catch ObjectGraphError.constraints(let conflicts) {
      // The permanent IDs were never given.
      let temporary = Dictionary(uniqueKeysWithValues: permanent.map { ($1, $0) })
      throw ObjectGraphError.constraints(conflicts.map { $0.replacing(temporary) })
    }
    let changes = SaveChanges(pending, permanent)
    didSave(pending, permanent, rows)
    // Conflicts have moved the other ends of relationships, too.
    if afterConflicts { for object in registered.elements { unloadRelations(of: object) } }
    if !pending.isEmpty { persistentStoreCoordinator.announce(changes, from: self) }
  }

  private func write(
    _ pending: PendingChanges, _ permanent: inout [ManagedObjectID: ManagedObjectID],
    _ rows: inout [ManagedObjectID: Row]
  ) throws {
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
          !(object.row.map { $0.values[index].isSame(as: row.values[index]) } ?? false)
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
  }

  // MARK: - After it

  private func didSave(
    _ pending: PendingChanges, _ permanent: [ManagedObjectID: ManagedObjectID], _ rows: [ManagedObjectID: Row]
  ) {
    let permanentID = { (id: ManagedObjectID) in id.isTemporary ? permanent[id] : id }
    for object in pending.inserted {
      registered[object.objectID] = nil
      object.objectID = permanent[object.objectID] ?? object.objectID
      registered[object.objectID] = object
    }
    for object in pending.inserted + Array(updatedObjects) {
      if let row = rows[object.objectID] { object.row = row }
      object.edits = []
      object.flags.subtract([.inserted, .updated])
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
    for object in deletedObjects.union(discarded.filter(\.isDeleted)) {
      registered[object.objectID] = nil
      letGo(of: object)
    }
    insertedObjects = []
    updatedObjects = []
    deletedObjects = []
    discarded = []
    assignments = [:]
  }
}

extension SaveChanges {
  /// What a save is about to make of pending changes. What it brings back is new to others.
  fileprivate init(_ pending: PendingChanges, _ permanent: [ManagedObjectID: ManagedObjectID]) {
    self.init(
      inserted: pending.inserted.compactMap { permanent[$0.objectID] }
        + pending.updated.filter(\.isRevived).map(\.objectID),
      updated: pending.updated.filter { !$0.isRevived }.map(\.objectID),
      deleted: pending.deleted.map(\.objectID))
  }
}
