extension ManagedObjectContext {
  /// Forgets every change since the last save: new objects are gone, changed ones are as they were, deleted ones are
  /// back. Nothing is written.
  public func rollback() {
    checkQueue()
    // Those that were deleted again among them: observers may not have heard of that.
    let (inserted, updated, deleted) = (newObjects, updatedObjects, deletedObjects)
    forgetNewObjects()
    updatedObjects = []
    deletedObjects = []
    unpropagated = []
    assignments = [:]
    keepNoError()
    for object in inserted { invalidate(object) }
    for object in updated.union(deleted) {
      revert(object)
      recentlyRefreshed.append(object)
    }
    for object in deleted { registered.insert(object) }
    forgetRecent()
    undoManager?.removeAllActions()
    announceReverting()
  }

  /// Forgets every object and every change. Objects that somebody still holds belong to no context any more.
  public func reset() {
    checkQueue()
    for object in registered.elements + newObjects {
      object.managedObjectContext = nil
      object.forgetOthers()
    }
    registered.removeAll()
    forgetNewObjects()
    updatedObjects = []
    deletedObjects = []
    unpropagated = []
    assignments = [:]
    keepNoError()
    for object in recent { object.flags.remove(.noted) }
    recent = []
    recentlyRefreshed = []
    recentlyInvalidated = []
    undoManager?.removeAllActions()
    announceReset()
  }

  /// Reads an object anew.
  ///
  /// - Parameters:
  ///   - object: The object; a new one is left as it is.
  ///   - mergeChanges: Whether unsaved changes are kept and the rest taken from the store; else they are forgotten,
  ///     and the object is turned into a fault, which gives back its memory.
  /// - Throws: ``ObjectGraphError`` if the row is gone or cannot be read.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    checkQueue()
    guard object.managedObjectContext === self, !object.isInserted else { return }
    if mergeChanges {
      guard !object.isFault else {
        object.row = nil
        object.forgetOthers()
        if isObserved { recentlyRefreshed.append(object) }
        return
      }
      guard let row = try persistentStoreCoordinator.row(for: object.objectID) else {
        throw ObjectGraphError.inaccessible(object.objectID)
      }
      rebase(object, on: row, keeping: { _, _, _ in true })
      return
    }
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    object.row = nil
    object.edits = []
    object.relations = []
    object.forgetOthers()
    object.flags.subtract([.updated, .deleted, .propagated, .overwriting])
    object.flags.insert(.fault)
    // Without anybody to tell, the memory is given back.
    if isObserved { recentlyRefreshed.append(object) }
  }

  /// Turns every unchanged object into a fault.
  public func refreshAllObjects() throws {
    for object in registered.elements { try refresh(object, mergeChanges: object.hasChanges) }
  }

  // MARK: - One object

  /// Takes an object out of the context.
  func invalidate(_ object: ManagedObject) {
    registered.remove(object.objectID)
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    object.flags.subtract([.inserted, .updated, .deleted, .propagated, .overwriting])
    object.managedObjectContext = nil
    object.forgetOthers()
    recentlyInvalidated.append(object)
  }

  /// Takes the changes of an object back.
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
    object.flags.subtract([.updated, .deleted, .propagated, .overwriting])
  }

  /// Gives the changes of an object up for what the store holds.
  func discardChanges(of object: ManagedObject, row: Row) {
    updatedObjects.remove(object)
    deletedObjects.remove(object)
    revert(object)
    object.row = row
    unloadRelations(of: object)
    recentlyRefreshed.append(object)
  }

  func undelete(_ object: ManagedObject, _ row: Row) {
    discardChanges(of: object, row: row)
    registered.insert(object)
  }

  /// Puts the changes of an object onto another version of its row.
  ///
  /// - Parameter keeping: Whether a change is kept, by the value that it started from, the value that the store has
  ///   now, and the value that it makes.
  func rebase(
    _ object: ManagedObject, on row: Row, keeping: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) {
    let old = object.row
    if !object.edits.isEmpty {
      for index in object.edits.indices {
        let before = old?.values[index] ?? .null
        let isChanged = !object.edits[index].isSame(as: before)
        if !isChanged || !keeping(before, row.values[index], object.edits[index]) {
          object.edits[index] = row.values[index]
        }
      }
    }
    for relationship in object.entity.toOnes {
      guard case .column(let place) = relationship.storage, case .one(let id) = object.state(relationship) else {
        continue
      }
      let before = old?.values[place] ?? .null
      let new = id.map { Value.integer($0.key) } ?? .null
      let isKept = !new.isSame(as: before) && keeping(before, row.values[place], new)
      if !isKept { object.relations[relationship.index] = .unloaded }
    }
    object.row = row
    unloadRelations(of: object)
    recentlyRefreshed.append(object)
  }

  /// Lets to-many relationships be read again, with the changes of this context on top.
  func unloadRelations(of object: ManagedObject) {
    for (index, state) in object.relations.enumerated() {
      guard case .many(var many) = state else { continue }
      many.unload()
      object.relations[index] = .many(many)
    }
    object.forgetOthers()
  }

  private func keepNoError() { try? throwKeptError() }

  private func forgetRecent() {
    for object in recent { object.flags.remove(.noted) }
    recent = []
  }

  private func announceReverting() {
    let changes = ObjectChanges(refreshed: recentlyRefreshed, invalidated: recentlyInvalidated)
    recentlyRefreshed = []
    recentlyInvalidated = []
    announce(changes)
  }
}
