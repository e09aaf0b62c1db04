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
    if mergeChanges { return try refresh([object]) }
    if object.hasChanges, !object.isGone {
      if let row = object.row { try discardChanges(of: [(object, row)]) } else { try withdrawPairs(of: object) }
      guard object.changedKeys.isEmpty else { return }
    }
    updatedObjects.remove(object)
    turnIntoFault(object, nil)
  }

  /// Turns every unchanged object into a fault, and puts the changes of the others onto what the store holds now.
  ///
  /// - Throws: ``ObjectGraphError`` if the row of a changed object is gone or cannot be read; then nothing is refreshed.
  public func refreshAllObjects() throws {
    checkQueue()
    let objects = registered.elements
    try refresh(objects.filter { $0.hasChanges && !$0.isGone })
    for object in objects where !object.hasChanges || object.isGone { turnIntoFault(object, nil) }
  }

  /// Puts the changes of objects onto what the store holds now. Faults have no others than of to-many relationships.
  private func refresh(_ objects: [ManagedObject]) throws {
    let faults = objects.filter { $0.isFault || $0.isGone }
    let others = objects.filter { !$0.isFault && !$0.isGone }
    let rows = try persistentStoreCoordinator.rows(for: others.map(\.objectID))
    let versions = rows.compactMap { found in registered[found.id].map { (object: $0, row: found.row) } }
    let found = Set(versions.map(\.object))
    if let missing = others.first(where: { !found.contains($0) }) {
      throw ObjectGraphError.inaccessible(missing.objectID)
    }
    for object in faults { if object.isGone { turnIntoFault(object, nil) } else { forgetRow(of: object) } }
    try rebase(versions, keeping: MergePolicy.mergeByPropertyObjectTrump.keeps)
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

  /// Lets a fault read its row anew, and keeps what was changed from the other ends of its relationships.
  func forgetRow(of object: ManagedObject) {
    object.row = nil
    unloadRelations(of: object)
    recentlyRefreshed.append(object)
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
