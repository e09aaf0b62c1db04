// What becomes of unsaved changes when the store turns out to hold another version of an object.

extension ManagedObjectContext {
  /// Puts the changes of an object onto another version of its row. What its to-one relationships lead to in the end
  /// knows of it, and what they do not lead to any more does not.
  ///
  /// - Parameter keeps: Whether the value here stays; see ``MergePolicy/keeps(_:_:_:)``.
  func rebase(
    _ object: ManagedObject, on row: Row, keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    recentlyRefreshed.append(object)
    guard !object.isDeleted else { return deleteAgain(object, row) }
    let entity = object.entity
    let old = object.row.map { Array($0.values) } ?? Array(repeating: .null, count: entity.columns.count)
    let attributes = object.edits.isEmpty ? Array(old.prefix(entity.attributes.count)) : object.edits
    let destinations = try entity.toOnes.map { try object.destination(of: $0) }
    // Back to where the changes began, so that those at the other ends go back, too. Who is not here has not been
    // changed, or was deleted by somebody else and must not come back.
    for (relationship, own) in zip(entity.toOnes, destinations) {
      let began = object.storedDestination(of: relationship)
      if own != began { try object.point(relationship, to: began.flatMap(known), self) }
    }
    let merged = attributes.enumerated().map { keeps(old[$0], row.values[$0], $1) ? $1 : row.values[$0] }
    object.edits = zip(merged, row.values).allSatisfy { $0.isSame(as: $1) } ? [] : merged
    object.row = row
    unloadRelations(of: object)
    for (relationship, own) in zip(entity.toOnes, destinations) {
      guard case .column(let place) = relationship.storage else { continue }
      let stored = object.storedDestination(of: relationship)
      let new = own.map { Value.integer($0.key) } ?? .null
      var target = keeps(old[place], row.values[place], new) ? own : stored
      if let id = target, self.object(with: id).isDeleted { target = nil }
      guard target != stored else { continue }
      if let inverse = model.inverse(of: relationship), !inverse.isToMany {
        // Both ends have a column of their own, which somebody else may have changed.
        for id in [stored, target] { try id.map(bringUpToDate) }
      }
      try object.point(relationship, to: target.map { self.object(with: $0) }, self)
    }
  }

  /// Gives the changes of an object up for what the store holds, deletion included.
  ///
  /// - Parameter row: What the store holds; nil for a fault, which has no changes but those of to-many relationships.
  func discardChanges(of object: ManagedObject, row: Row?) throws {
    if object.isDeleted, let row { return restore(object, row) }
    for relationship in object.entity.relationships { try withdrawPairs(relationship, of: object) }
    guard let row else { return }
    try rebase(object, on: row, keeping: MergePolicy.rollback.keeps)
  }

  /// Lets relationships be read again, with the changes of this context on top of to-many ones.
  func unloadRelations(of object: ManagedObject) {
    for (index, state) in object.relations.enumerated() {
      switch state {
      case .unloaded: break
      case .one: object.relations[index] = .unloaded
      case .many(var many):
        many.unload()
        object.relations[index] = .many(many)
      }
    }
    object.forgetOthers()
  }

  /// Lets nobody who was changed here point to objects that do not exist any more.
  func dropReferences(to ids: Set<ManagedObjectID>) {
    guard !ids.isEmpty else { return }
    for object in newObjects + Array(updatedObjects) {
      for (index, state) in object.relations.enumerated() {
        switch state {
        case .one(let id?) where ids.contains(id):
          object.relations[index] = .one(nil)
          recentlyRefreshed.append(object)
        case .many(var many):
          many.forget(ids)
          object.relations[index] = .many(many)
          recentlyRefreshed.append(object)
        default: break
        }
      }
    }
  }

  /// Inserts an object again that somebody else has deleted, with the values that it has here.
  func revive(_ object: ManagedObject) throws {
    if object.edits.isEmpty {
      object.edits = object.row.map { Array($0.values.prefix(object.entity.attributes.count)) } ?? []
    }
    let destinations = try object.entity.toOnes.map { relationship in
      // Where it leads may have been deleted, too.
      try object.destination(of: relationship).flatMap { try exists($0) ? $0 : nil }
    }
    unloadRelations(of: object)
    for (relationship, id) in zip(object.entity.toOnes, destinations) { object.setRelation(relationship, .one(id)) }
    object.row = nil
    recentlyRefreshed.append(object)
  }

  private func exists(_ id: ManagedObjectID) throws -> Bool {
    if let object = registered[id], object.hasChanges { return !object.isDeleted }
    return try persistentStoreCoordinator.row(for: id) != nil
  }

  /// Takes the row of an unchanged object from the store.
  private func bringUpToDate(_ id: ManagedObjectID) throws {
    let object = self.object(with: id)
    guard !object.hasChanges, let row = try persistentStoreCoordinator.row(for: id) else { return }
    turnIntoFault(object, row)
    recentlyRefreshed.append(object)
  }

  /// Deletes another version of an object that is deleted here: its rules are carried out on what it leads to now.
  private func deleteAgain(_ object: ManagedObject, _ row: Row) {
    object.row = row
    unloadRelations(of: object)
    unpropagated.append(object)
  }

  /// Brings back an object that was deleted here, and lets those point to it again whom that made let go of it.
  private func restore(_ object: ManagedObject, _ row: Row) {
    for other in updatedObjects {
      for relationship in other.entity.relationships
      where model.destination(of: relationship) === object.entity {
        switch other.state(relationship) {
        case .one(nil) where other.storedDestination(of: relationship) == object.objectID:
          // Somebody may have let go of it before it was deleted.
          guard let inverse = model.inverse(of: relationship),
            !object.toMany(inverse).removed.contains(other.objectID)
          else { continue }
          other.relations[relationship.index] = .unloaded
          recentlyRefreshed.append(other)
        case .many(var many):
          many.restore(object.objectID)
          other.relations[relationship.index] = .many(many)
          recentlyRefreshed.append(other)
        default: break
        }
      }
    }
    deletedObjects.remove(object)
    revert(object)
    object.row = row
    unloadRelations(of: object)
    recentlyRefreshed.append(object)
  }

  /// Takes back what was added to a relationship or removed from it, on both sides, if both are to-many. Otherwise it
  /// is for the other side to take it back.
  private func withdrawPairs(_ relationship: Relationship, of object: ManagedObject) throws {
    guard case .many(let many) = object.state(relationship), let inverse = model.inverse(of: relationship),
      inverse.isToMany
    else { return }
    for id in many.added {
      try self.object(with: id).unlink(inverse, object.objectID, self)
      try object.changeMany(relationship, .removed(id), self)
    }
    for id in many.removed where !self.object(with: id).isDeleted {
      try self.object(with: id).link(inverse, object, relationship, self)
      try object.changeMany(relationship, .added(id), self)
    }
  }
}
