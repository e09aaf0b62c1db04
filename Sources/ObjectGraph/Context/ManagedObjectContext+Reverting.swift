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
    for object in registered.elements + newObjects { letGo(of: object) }
    registered.removeAll()
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
    unpropagated = []
    assignments = [:]
    for object in recent { object.flags.remove(.noted) }
    recent = []
    // An error that a property kept is forgotten with the change that it was about.
    try? throwKeptError()
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
    try unrecorded { try readAnew(object, mergeChanges: mergeChanges) }
  }

  private func readAnew(_ object: ManagedObject, mergeChanges: Bool) throws {
    if mergeChanges, object.isFault, !object.isDeleted {
      object.row = nil
      noteRefresh(of: object)
      return unloadRelations(of: object)
    }
    if mergeChanges, !object.isGone {
      guard let row = try persistentStoreCoordinator.row(for: object.objectID) else {
        throw ObjectGraphError.inaccessible(object.objectID)
      }
      return try rebase(object, on: row, keeping: MergePolicy.mergeByPropertyObjectTrump.keeps)
    }
    if object.hasChanges, !object.isGone {
      try discardChanges(of: object, row: object.row)
      guard object.changedKeys.isEmpty else { return }
    }
    updatedObjects.remove(object)
    turnIntoFault(object, nil)
    noteRefresh(of: object)
  }

  /// Remembers an object for ``processPendingChanges()``; without anybody to tell, its memory can be given back.
  private func noteRefresh(of object: ManagedObject) {
    if isObserved { recentlyRefreshed.append(object) }
  }

  /// Turns every unchanged object into a fault, and puts the changes of the others onto what the store holds now.
  ///
  /// - Throws: As ``refresh(_:mergeChanges:)``.
  public func refreshAllObjects() throws {
    for object in registered.elements { try refresh(object, mergeChanges: object.hasChanges) }
  }

  // MARK: - One object

  func turnIntoFault(_ object: ManagedObject, _ row: Row?) {
    object.row = row
    object.edits = []
    object.relations = []
    object.forgetOthers()
    object.flags.subtract([.updated, .deleted, .propagated])
    object.flags.insert(.fault)
  }

  /// Takes an object out of the context.
  func invalidate(_ object: ManagedObject) {
    registered.remove(object.objectID)
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    letGo(of: object)
    recentlyInvalidated.append(object)
  }

  func letGo(of object: ManagedObject) {
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    object.managedObjectContext = nil
    object.forgetOthers()
  }

  /// Takes the changes of an object back, not minding those at the other ends of its relationships.
  func revert(_ object: ManagedObject) {
    object.edits = []
    for (index, state) in object.relations.enumerated() {
      switch state {
      case .unloaded: break
      case .one: object.relations[index] = .unloaded
      case .many(var many):
        many.revert()
        object.relations[index] = .many(many)
      }
    }
    object.forgetOthers()
    object.flags.subtract([.updated, .deleted, .propagated])
  }
}
