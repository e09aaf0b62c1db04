// The handling of objects that another context has deleted, and of deletions in this context that are cancelled.

extension ManagedObjectContext {
  func discardChanges(of versions: [(object: ManagedObject, row: Row)]) throws {
    let deleted = versions.filter(\.object.isDeleted)
    let living = versions.filter { !$0.object.isDeleted }
    for (object, row) in deleted { restore(object, row) }
    for (object, _) in deleted { try dropDeletedDestinations(of: object) }
    for (object, _) in living { try revertManyToMany(of: object) }
    try mergeSnapshots(living, by: .rollback)
  }

  /// Makes an object read its relationships again at their next use. Unsaved changes of to-many relationships are kept.
  func unloadRelations(of object: ManagedObject) {
    object.resetRelations { $0.loaded = nil }
    object.keptObjects = [:]
  }

  /// Removes references to the deleted objects `ids` from the new and changed objects of this context.
  func dropReferences(to ids: Set<ManagedObjectID>) {
    guard !ids.isEmpty else { return }
    for object in newObjects + Array(updatedObjects) {
      for relationship in object.entity.relationships {
        switch object.state(relationship) {
        case .one(let id?) where ids.contains(id):
          // A reference that is in the stored row is not removed, because the removal would be an unsaved change.
          let isStored = object.storedDestination(of: relationship) == id
          object.setRelation(relationship, isStored ? .unloaded : .one(nil))
          recent.refreshed.append(object)
        case .many:
          object.updateToMany(relationship) { $0.forget(ids) }
          recent.refreshed.append(object)
        default: break
        }
      }
    }
  }

  /// Makes the next save insert the row of an object again, after another writer has deleted the row.
  func revive(_ object: ManagedObject) throws {
    object.edits = object.attributeValues ?? []
    let destinations = try object.entity.toOnes.map { relationship in
      try object.destination(of: relationship).flatMap { try exists($0) ? $0 : nil }
    }
    unloadRelations(of: object)
    object.row = nil
    recent.refreshed.append(object)
    for (relationship, id) in zip(object.entity.toOnes, destinations) {
      object.setRelation(relationship, .one(nil))
      guard let destination = id.map({ self.object(with: $0) }) else { continue }
      // The other writer's deletion has unlinked the destination, so the destination's row in the store is newer.
      try bringUpToDate(destination)
      try object.point(relationship, to: destination, self)
    }
  }

  func exists(_ id: ManagedObjectID) throws -> Bool {
    if let object = known(id), object.hasChanges { return !object.isDeleted }
    return try persistentStoreCoordinator.row(for: id, in: readGeneration()) != nil
  }

  /// Gives an object the newest row from the store. Does nothing if the object has unsaved changes.
  func bringUpToDate(_ object: ManagedObject) throws {
    let reading = try startReading()
    guard !object.hasPersistentChangedValues,
      let row = try persistentStoreCoordinator.row(for: object.objectID, in: readGeneration()),
      row.version != object.row?.version
    else { return }
    if let reading { rowCache.put(object, row, reading) }
    updatedObjects.remove(object)
    turnIntoFault(object, row)
    recent.refreshed.append(object)
  }

  /// Cancels the deletion of an object in this context, and restores the references that the deletion has removed.
  private func restore(_ object: ManagedObject, _ row: Row) {
    var others: [(Relationship, ManagedObjectID)] = []
    for other in updatedObjects {
      for relationship in other.entity.relationships
      where model.destination(of: relationship) === object.entity {
        switch other.state(relationship) {
        case .one(let id) where other.storedDestination(of: relationship) == object.objectID:
          guard let inverse = model.inverse(of: relationship) else { continue }
          if inverse.isToMany, id != nil || object.toMany(inverse).removed.contains(other.objectID) {
            // The other object removed the link independently of this object's deletion, so the link stays removed.
            others.append((inverse, other.objectID))
          } else if id == nil {
            other.relations[relationship.index] = .unloaded
            recent.refreshed.append(other)
          }
        case .many:
          other.updateToMany(relationship) { $0.restore(object.objectID) }
          recent.refreshed.append(other)
        default: break
        }
      }
    }
    deletedObjects.remove(object)
    revert(object)
    object.row = row
    unloadRelations(of: object)
    for (relationship, id) in others { object.updateToMany(relationship) { $0.remove(id) } }
    if !others.isEmpty {
      object.flags.insert(.updated)
      updatedObjects.insert(object)
    }
    recent.refreshed.append(object)
  }

  private func dropDeletedDestinations(of object: ManagedObject) throws {
    for relationship in object.entity.relationships {
      if !relationship.isToMany {
        try dropLostDestination(object, relationship)
      } else {
        for id in try object.destinations(of: relationship) where self.object(with: id).isDeleted {
          try object.changeMany(relationship, id, isIn: false, self)
        }
      }
    }
  }

  /// Reverts the unsaved changes of an object's many-to-many relationships, also in the related objects.
  func revertManyToMany(of object: ManagedObject) throws {
    for relationship in object.entity.relationships {
      guard case .many(let many) = object.state(relationship), let inverse = model.inverse(of: relationship),
        inverse.isToMany
      else { continue }
      for id in many.added {
        try self.object(with: id).unlink(inverse, object.objectID, self)
        try object.changeMany(relationship, id, isIn: false, self)
      }
      for id in many.removed where !self.object(with: id).isDeleted {
        try self.object(with: id).link(inverse, object, relationship, self)
        try object.changeMany(relationship, id, isIn: true, self)
      }
    }
  }
}
