/// The objects that a save inserts, updates and deletes. Each list is in the order of writing.
struct PendingChanges {
  var inserted: [ManagedObject] = []
  var updated: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  /// The values that the save writes for each element of `inserted`.
  var newValues: [[Value]] = []
  /// The row that the save writes for each element of `updated`.
  var updatedRows: [Row] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension ManagedObjectContext {
  /// Writes all unsaved changes, in one transaction per store. After an error, the context keeps its changes, and some
  /// stores may already have them.
  ///
  /// - Throws: ``ObjectGraphError/validation(_:)``, ``ObjectGraphError/conflicts(_:)``,
  ///   ``ObjectGraphError/constraints(_:)``, ``ObjectGraphError/busy(file:_:)``, or another error of a store, an object
  ///   or an earlier property access.
  public func save() throws {
    checkQueue()
    try processPendingChanges()
    try throwKeptError()
    var versions: [MergeConflict] = []
    var constraints: [ConstraintConflict] = []
    // The state before the save resolved the first conflict.
    var former: FormerState?
    do {
      // Another writer may save again between a conflict and the next attempt.
      for _ in 0..<Self.mostRounds {
        try realizeChangedFaults()
        var pending = pendingChanges()
        try validate(pending)
        do {
          return try write(&pending, hadConflicts: former != nil)
        } catch ObjectGraphError.conflicts(let conflicts) where mergePolicy != .error {
          try require(versions.addUnsettled(conflicts) { [$0.objectID, $0.newVersion] }, .conflicts(conflicts))
          former = former ?? FormerState(of: self)
          advanceGeneration()
          try unrecorded { try resolve(conflicts) }
        } catch ObjectGraphError.constraints(let conflicts) where mergePolicy != .error {
          let independent = conflicts.independent
          let isNew = constraints.addUnsettled(independent) {
            [$0.constraint, $0.conflictingObjectIDs, $0.databaseObjectID]
          }
          guard isNew else { throw ObjectGraphError.constraints(conflicts) }
          former = former ?? FormerState(of: self)
          advanceGeneration()
          try unrecorded { try resolve(independent) }
        }
        try processPendingChanges()
      }
      throw ObjectGraphError.busy(
        file: persistentStoreCoordinator.fileNames,
        "the save failed, because other contexts or processes kept changing the same objects; save again")
    } catch {
      former?.restore(self)
      throw error
    }
  }

  /// The maximum number of attempts of a save, which tries again after each resolved conflict.
  private static let mostRounds = 1000

  /// Reads the missing rows of changed objects. The save needs the version numbers in the rows.
  private func realizeChangedFaults() throws {
    func isUnread(_ object: ManagedObject) -> Bool { object.isFault && object.row == nil }
    guard updatedObjects.contains(where: isUnread) else { return }
    let faults = updatedObjects.filter(isUnread)
    _ = try realized(faults.map(\.objectID))
    // Sorted, so that the same one of several possible errors is thrown each time.
    for object in faults.ordered where object.row == nil {
      // Another writer has deleted the object. References to it may be removed, but not added.
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
    var pending = PendingChanges()
    pending.inserted.reserveCapacity(newObjects.count)
    var isMixed = false
    for object in newObjects where object.isInserted && !object.isDeleted {
      if let last = pending.inserted.last, last.entity !== object.entity { isMixed = true }
      pending.inserted.append(object)
    }
    if isMixed {
      let entities = Dictionary(grouping: pending.inserted) { $0.entity.number }
      pending.inserted = entities.keys.sorted().flatMap { entities[$0] ?? [] }
    }
    pending.updated = updatedObjects.lazy.filter(\.hasPersistentChangedValues).ordered
    pending.deleted = deletedObjects.ordered
    return pending
  }

  private func write(_ pending: inout PendingChanges, hadConflicts: Bool) throws {
    let builder =
      try pending.isEmpty
      ? ChangeBuilder(pending, []) : persistentStoreCoordinator.save { try write(&pending, in: $0) }
    let changes = saveChanges(pending, builder)
    didSave(&pending, builder)
    if !pending.inserted.isEmpty, isObserved { announce(ObjectChanges(saved: pending.inserted)) }
    if hadConflicts { unloadRelations() }
    if hadConflicts || !pending.isEmpty { postDidSave(changes) }
  }

  private func write(_ pending: inout PendingChanges, in transaction: SaveTransaction) throws -> ChangeBuilder {
    let builder = ChangeBuilder(pending, try transaction.allocateKeys(for: pending.inserted, assignments))
    var changes = SaveRequest()
    pending.newValues.reserveCapacity(pending.inserted.count)
    for (object, id) in zip(pending.inserted, builder.ids) {
      pending.newValues.append(try builder.values(of: object, in: id.origin))
      if builder.hasRelationships { try builder.addLinks(of: object, id, &changes[id.origin]) }
    }
    for keys in builder.keys {
      changes[keys.origin].inserted.append(
        StoreChanges.NewRows(entity: keys.entity, firstKey: keys.first, values: pending.newValues[keys.indices]))
    }
    var columns: [Int] = []
    for object in pending.updated {
      let id = object.objectID
      let old = object.row
      let row = Row(version: (old?.version ?? 0) + 1, values: try builder.values(of: object, in: id.origin))
      pending.updatedRows.append(row)
      // Consecutive objects mostly have the same changed columns, and then share one array.
      if !row.differs(from: old, in: columns) {
        columns = row.indices.filter { row.differs(from: old, at: $0) }
      }
      changes[id.origin].updated.append(StoreChanges.Update(id: id, old: old, new: row, columns: columns))
      if builder.hasRelationships { try builder.addLinks(of: object, id, &changes[id.origin]) }
    }
    for object in pending.deleted {
      let id = object.objectID
      changes[id.origin].deleted.append((id, object.row?.version))
      try builder.addLinks(of: object, id, &changes[id.origin])
    }
    // Conflicts name new objects by temporary ID, because a save with conflicts writes nothing.
    let inserted = pending.inserted
    try transaction.write(changes) { builder.temporaryID(for: $0, in: inserted) }
    return builder
  }

  // MARK: - After the save

  private func saveChanges(_ pending: PendingChanges, _ builder: ChangeBuilder) -> SaveChanges {
    var (inserted, updated): ([ManagedObjectID], [ManagedObjectID]) = (builder.ids, [])
    for object in pending.updated {
      if object.isRevived { inserted.append(object.objectID) } else { updated.append(object.objectID) }
    }
    return SaveChanges(
      inserted: inserted, updated: updated, deleted: pending.deleted.map(\.objectID),
      coordinator: ObjectIdentifier(persistentStoreCoordinator))
  }

  private func didSave(_ pending: inout PendingChanges, _ builder: ChangeBuilder) {
    advanceGeneration()
    for object in newObjects where object.isDeleted { detach(object) }
    forgetNewObjects()
    for index in pending.inserted.indices {
      // An object that nothing else references is released at the end of the save, and need not be registered.
      let isHeld = !isKnownUniquelyReferenced(&pending.inserted[index])
      let object = pending.inserted[index]
      guard isHeld else { continue }
      object.objectID = builder.ids[index]
      let row = Row(version: 1, values: pending.newValues[index])
      object.row = row
      settle(object, builder)
      rowCache.add(object, nil)
      rowCache.learn(object, row)
      registered.insert(object)
    }
    for (object, row) in zip(pending.updated, pending.updatedRows) {
      object.row = row
      rowCache.learn(object, row)
    }
    for object in updatedObjects { settle(object, builder) }
    for object in deletedObjects {
      registered.remove(object.objectID)
      rowCache.forget(object.objectID)
      detach(object)
    }
    updatedObjects = []
    deletedObjects = []
    assignments = [:]
  }

  private func unloadRelations() {
    guard model.entities.contains(where: { !$0.relationships.isEmpty }) else { return }
    for object in registered.elements { unloadRelations(of: object) }
  }

  private func settle(_ object: ManagedObject, _ builder: ChangeBuilder) {
    object.edits = []
    object.flags.subtract([.inserted, .updated])
    object.resetRelations { $0.didSave(builder.settledID) }
  }
}

extension Row {
  @inline(__always)
  fileprivate func differs(from old: Row?, at index: Int) -> Bool {
    old.map { !$0[index].isSame(as: self[index]) } ?? true
  }

  fileprivate func differs(from old: Row?, in columns: [Int]) -> Bool {
    var next = 0
    for index in indices where differs(from: old, at: index) {
      guard next < columns.count, columns[next] == index else { return false }
      next += 1
    }
    return next == columns.count
  }
}
