extension ManagedObjectContext {
  /// Discards all unsaved changes: removes new objects, and restores changed and deleted ones. The stores stay
  /// unchanged.
  public func rollback() {
    checkQueue()
    // Includes new objects that were deleted, because observers may not have been notified of the deletion.
    for object in newObjects { invalidate(object) }
    for object in updatedObjects.union(deletedObjects) {
      revert(object)
      recent.refreshed.append(object)
    }
    let changes = recent
    forgetChanges()
    announce(changes)
  }

  /// Removes all objects and unsaved changes from this context. Objects that the program still references lose their
  /// context.
  public func reset() {
    checkQueue()
    for object in registered.elements + newObjects { detach(object) }
    registered.removeAll()
    advanceGeneration()
    forgetChanges()
    for entry in observers { entry.observer?.contextDidReset(self) }
  }

  private func forgetChanges() {
    forgetNewObjects()
    updatedObjects = []
    deletedObjects = []
    assignments = [:]
    forgetRecentChanges()
    for object in keptErrors.refusals.keys { object.flags.remove(.refused) }
    keptErrors = KeptErrors()
    undoManager?.removeAllActions()
  }

  /// Forgets the changes that ``processPendingChanges()`` would process.
  func forgetRecentChanges() {
    for object in recentChanges { object.flags.remove(.inRecentChanges) }
    recentChanges = []
    recent = ObjectChanges()
    unpropagatedDeletes = []
  }

  /// Makes an object take its current values from the store. A new object stays unchanged.
  ///
  /// - Parameter mergeChanges: Whether to keep unsaved changes. Those of one-to-many relationships are always kept.
  /// - Throws: ``ObjectGraphError`` if the row cannot be read. With `mergeChanges`, also if the row is gone.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    checkQueue()
    guard object.managedObjectContext === self, !object.isInserted else { return }
    try unrecorded { try mergeChanges ? refresh([object]) : discard(object) }
    if !mergeChanges { forgetRefusals(of: object) }
  }

  private func discard(_ object: ManagedObject) throws {
    if object.hasChanges, !object.isInaccessible {
      let versions = try storedVersions(of: [object])
      if versions.isEmpty {
        // Another writer has deleted the object, so unsaved changes must not refer to it any more.
        dropReferences(to: [object.objectID])
        deletedObjects.remove(object)
      } else {
        try object.row != nil ? discardChanges(of: versions) : revertManyToMany(of: object)
        guard object.changedKeys.isEmpty else { return }
      }
    }
    updatedObjects.remove(object)
    turnIntoFault(object, nil)
    if isObserved { recent.refreshed.append(object) }
  }

  /// Makes all objects take their current values from the store, but keeps unsaved changes.
  ///
  /// - Throws: ``ObjectGraphError`` if the row of a changed object is missing or cannot be read. In this case, no
  ///   object is refreshed.
  public func refreshAllObjects() throws {
    checkQueue()
    try unrecorded {
      func isKept(_ object: ManagedObject) -> Bool {
        object.hasChanges && object.hasPersistentChangedValues && !object.isInaccessible
      }
      let objects = registered.elements
      let (changed, others) = (objects.filter(isKept), objects.filter { !isKept($0) })
      try refresh(changed)
      for object in others { try discard(object) }
    }
  }

  private func refresh(_ objects: [ManagedObject]) throws {
    let others = objects.filter { !$0.isFault && !$0.isInaccessible }
    let versions = try storedVersions(of: others)
    if versions.count < others.count {
      let found = Set(versions.map(\.object))
      for missing in others where !found.contains(missing) { throw ObjectGraphError.inaccessible(missing.objectID) }
    }
    for object in objects where object.isFault || object.isInaccessible { forgetRow(of: object) }
    try mergeSnapshots(versions, by: .mergeByPropertyObjectTrump)
  }

  func storedVersions(of objects: [ManagedObject]) throws -> [(object: ManagedObject, row: Row)] {
    let reading = try startReading()
    return try persistentStoreCoordinator.rows(for: objects.map(\.objectID), in: readGeneration()).compactMap { found in
      guard let object = registered[found.id] else { return nil }
      if let reading { rowCache.put(object, found.row, reading) }
      return (object, found.row)
    }
  }

  // MARK: - One object

  func turnIntoFault(_ object: ManagedObject, _ row: Row?) {
    object.row = row
    object.edits = []
    object.relations = []
    object.keptObjects = [:]
    object.flags.subtract([.updated, .deleted, .propagated])
    object.flags.insert(.fault)
  }

  /// Makes an object read its row from the store at the next access. Unsaved changes of to-many relationships are kept.
  func forgetRow(of object: ManagedObject) {
    if object.isInaccessible {
      turnIntoFault(object, nil)
    } else {
      object.row = nil
      unloadRelations(of: object)
    }
    if isObserved { recent.refreshed.append(object) }
  }

  func invalidate(_ object: ManagedObject) {
    registered.remove(object.objectID)
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    detach(object)
    recent.invalidated.append(object)
  }

  func detach(_ object: ManagedObject) {
    forgetRefusals(of: object)
    rowCache.remove(object)
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    object.managedObjectContext = nil
    object.keptObjects = [:]
  }

  /// Reverts the unsaved changes of an object. The inverse relationships in other objects stay unchanged.
  func revert(_ object: ManagedObject) {
    object.edits = []
    object.resetRelations { $0.revert() }
    object.keptObjects = [:]
    object.flags.subtract([.updated, .deleted, .propagated])
  }
}
