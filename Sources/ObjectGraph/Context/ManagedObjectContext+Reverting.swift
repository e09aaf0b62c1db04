extension ManagedObjectContext {
  /// Forgets every change since the last save: new objects are gone, changed ones are as they were, deleted ones are
  /// back. Nothing is written.
  public func rollback() {
    checkQueue()
    // Those that were deleted again among them: observers may not have heard of that.
    for object in newObjects { invalidate(object) }
    for object in updatedObjects.union(deletedObjects) {
      revert(object)
      recentlyRefreshed.append(object)
    }
    forgetChanges()
    undoManager?.removeAllActions()
    let changes = ObjectChanges(refreshed: recentlyRefreshed, invalidated: recentlyInvalidated)
    recentlyRefreshed = []
    recentlyInvalidated = []
    announce(changes)
  }

  /// Forgets every object and every change. Objects that somebody still holds belong to no context any more.
  public func reset() {
    checkQueue()
    for object in registered.elements + newObjects { detach(object) }
    registered.removeAll()
    advanceGeneration()
    forgetChanges()
    recentlyRefreshed = []
    recentlyInvalidated = []
    undoManager?.removeAllActions()
    announceReset()
  }

  private func forgetChanges() {
    forgetNewObjects()
    updatedObjects = []
    deletedObjects = []
    unpropagatedDeletes = []
    assignments = [:]
    for object in recentChanges { object.flags.remove(.inRecentChanges) }
    recentChanges = []
    forgetErrors()
  }

  /// Reads an object anew.
  ///
  /// - Parameters:
  ///   - object: The object; a new one is left as it is.
  ///   - mergeChanges: Whether unsaved changes are kept and the rest taken from the store; else they are forgotten,
  ///     and the object is turned into a fault, which gives back its memory. What a to-many relationship shows because
  ///     other objects were changed to point here is their change, and stays.
  /// - Throws: ``ObjectGraphError`` if the row is gone or cannot be read.
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
        // Somebody has deleted it: what was changed here must not go on leading to it.
        dropReferences(to: [object.objectID])
        return forgetRow(ofGone: object)
      }
      try object.row != nil ? discardChanges(of: versions) : revertManyToMany(of: object)
      guard object.changedKeys.isEmpty else { return }
    }
    updatedObjects.remove(object)
    turnIntoFault(object, nil)
    noteRefresh(of: object)
  }

  /// Turns an object whose row is gone into a fault, which will find nothing.
  private func forgetRow(ofGone object: ManagedObject) {
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    turnIntoFault(object, nil)
    noteRefresh(of: object)
  }

  /// Turns every unchanged object into a fault, and puts the changes of the others onto what the store holds now.
  ///
  /// - Throws: ``ObjectGraphError`` if the row of a changed object is gone or cannot be read; then nothing is refreshed.
  public func refreshAllObjects() throws {
    checkQueue()
    try unrecorded {
      let objects = registered.elements
      // One whose changes were taken back has nothing to keep.
      let (changed, others) = (objects.filter(isToBeKept), objects.filter { !isToBeKept($0) })
      try refresh(changed)
      for object in others { try discard(object) }
    }
  }

  /// Returns whether a refresh has changes of an object to put onto what the store holds.
  private func isToBeKept(_ object: ManagedObject) -> Bool {
    object.hasChanges && object.hasPersistentChangedValues && !object.isInaccessible
  }

  /// Puts the changes of objects onto what the store holds now.
  private func refresh(_ objects: [ManagedObject]) throws {
    // Faults have no changes but those of to-many relationships.
    let (faults, others) = (
      objects.filter { $0.isFault || $0.isInaccessible }, objects.filter { !$0.isFault && !$0.isInaccessible }
    )
    let versions = try storedVersions(of: others)
    if versions.count < others.count {
      let found = Set(versions.map(\.object))
      for missing in others where !found.contains(missing) { throw ObjectGraphError.inaccessible(missing.objectID) }
    }
    for object in faults { forgetRow(of: object) }
    try mergeSnapshots(versions, keeping: MergePolicy.mergeByPropertyObjectTrump.keeps)
  }

  /// Returns the rows that the stores hold of objects now, but of those that are gone.
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
    object.releaseDestinations()
    object.flags.subtract([.updated, .deleted, .propagated])
    object.flags.insert(.fault)
  }

  /// Lets a fault read its row anew, and keeps what was changed from the other ends of its relationships. One whose row
  /// was gone is a fault again.
  func forgetRow(of object: ManagedObject) {
    if object.isInaccessible {
      turnIntoFault(object, nil)
    } else {
      object.row = nil
      unloadRelations(of: object)
    }
    noteRefresh(of: object)
  }

  /// Remembers an object for ``processPendingChanges()``; without anybody to tell, its memory can be given back.
  private func noteRefresh(of object: ManagedObject) {
    if isObserved { recentlyRefreshed.append(object) }
  }

  /// Takes an object out of the context.
  func invalidate(_ object: ManagedObject) {
    registered.remove(object.objectID)
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    detach(object)
    recentlyInvalidated.append(object)
  }

  func detach(_ object: ManagedObject) {
    forgetRefusals(of: object)
    object.leaveCache()
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    object.managedObjectContext = nil
    object.releaseDestinations()
  }

  /// Takes the changes of an object back, not minding those at the other ends of its relationships.
  func revert(_ object: ManagedObject) {
    object.edits = []
    object.resetRelations { $0.revert() }
    object.releaseDestinations()
    object.flags.subtract([.updated, .deleted, .propagated])
  }
}
