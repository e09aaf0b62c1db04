extension ManagedObjectContext {
  /// Marks an object for deletion by the next save. ``processPendingChanges()`` applies delete rules, such as a
  /// cascade.
  ///
  /// - Throws: ``ObjectGraphError/foreignObject(_:)`` if the object belongs to another context.
  public func delete(_ object: ManagedObject) throws {
    checkQueue()
    try object.check(isIn: self)
    // The next save needs the row's version, to detect changes by other writers.
    if object.isFault { try object.fire() }
    // `fire()` marks the object as deleted if its row is gone from the store.
    guard !object.isDeleted else { return }
    try undoManager?.record(.deleted(Deletion(of: object, in: self)))
    object.flags.insert(.deleted)
    if object.isUpdated { updatedObjects.remove(object) }
    object.flags.remove(.updated)
    if !object.isInserted { deletedObjects.insert(object) }
    unpropagatedDeletes.append(object)
    registerChange(of: object)
  }

  func propagateDeletes() throws {
    guard !unpropagatedDeletes.isEmpty else { return }
    // After an error, the next call continues with the remaining objects.
    var done = 0
    defer { unpropagatedDeletes.removeFirst(done) }
    // A cascade appends to the list during the loop.
    while done < unpropagatedDeletes.count {
      let object = unpropagatedDeletes[done]
      if object.isDeleted, object.managedObjectContext === self {
        for relationship in object.entity.relationships { try propagate(relationship, of: object) }
        object.flags.insert(.propagated)
      }
      done += 1
    }
  }

  private func propagate(_ relationship: Relationship, of object: ManagedObject) throws {
    guard relationship.deleteRule == .nullify || relationship.deleteRule == .cascade else { return }
    let ids = try object.orderedDestinations(of: relationship)
    let inverse = model.inverse(of: relationship)
    for destination in ids.count == 1 ? [self.object(with: ids[0])] : try realized(ids) {
      if relationship.deleteRule == .cascade { try delete(destination) }
      guard let inverse, try isLinked(destination, inverse, object) else { continue }
      // A many-to-many link is removed even if both objects are deleted.
      let isManyToMany = relationship.isToMany && inverse.isToMany
      if isManyToMany || !destination.isDeleted { try destination.unlink(inverse, object.objectID, self) }
      if isManyToMany { try object.changeMany(relationship, destination.objectID, isIn: false, self) }
    }
  }

  /// Returns whether `inverse` of `destination` leads back to `object`. Can be false only during an undo or redo.
  private func isLinked(_ destination: ManagedObject, _ inverse: Relationship, _ object: ManagedObject) throws -> Bool {
    guard let undoManager, undoManager.isTakingBack, inverse.isToMany else { return true }
    return try destination.destinations(of: inverse).contains(object.objectID)
  }

  func denials(of object: ManagedObject) throws -> [ValidationFailure] {
    try object.entity.relationships.filter { $0.deleteRule == .deny }.compactMap { relationship in
      let remaining = try realized(try object.orderedDestinations(of: relationship)).filter { !$0.isDeleted }
      guard !remaining.isEmpty else { return nil }
      return ValidationFailure(
        objectID: object.objectID, key: relationship.name,
        reason: "denies the deletion: \(remaining.count) \(model.destination(of: relationship).name) left")
    }
  }
}
