// What becomes of unsaved changes when the store turns out to hold another version of an object.

extension ManagedObjectContext {
  /// Puts the changes of objects onto other versions of their rows. What their relationships lead to in the end knows
  /// of it, and what they do not lead to any more does not.
  ///
  /// - Parameter keeps: Whether the value here stays; see ``MergePolicy/keeps(_:_:_:)``.
  func rebase(
    _ versions: [(object: ManagedObject, row: Row)],
    keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    recentlyRefreshed += versions.map(\.object)
    for (object, row) in versions where object.isDeleted { deleteAgain(object, row) }
    let living = versions.filter { !$0.object.isDeleted }
    var pointers: [Pointer] = []
    for (object, row) in living {
      for relationship in object.entity.toOnes {
        pointers.append(try Pointer(object, relationship, row, keeping: keeps))
      }
    }
    // All let go of what they took hold of, before any of them shows what the store holds.
    for pointer in pointers where pointer.isChanged { try pointer.object.point(pointer.relationship, to: nil, self) }
    for (object, row) in living { try replaceRow(of: object, row, keeping: keeps) }
    for pointer in pointers where pointer.isKept { try keep(pointer) }
    for pointer in pointers where pointer.isChanged && !pointer.isKept { try giveUp(pointer) }
    for pointer in pointers { try giveIn(pointer.object, pointer.relationship) }
  }

  /// A to-one relationship of an object that is put onto another version.
  private struct Pointer {
    let object: ManagedObject
    let relationship: Relationship
    /// Where it leads here.
    let own: ManagedObjectID?
    /// Whether it led elsewhere when it was read.
    let isChanged: Bool
    /// Whether it goes on leading there.
    let isKept: Bool

    init(
      _ object: ManagedObject, _ relationship: Relationship, _ row: Row,
      keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
    ) throws {
      (self.object, self.relationship) = (object, relationship)
      own = try object.destination(of: relationship)
      isChanged = own != object.storedDestination(of: relationship)
      guard case .column(let place) = relationship.storage else {
        isKept = false
        return
      }
      let new = own.map { Value.integer($0.key) } ?? .null
      isKept = keeps(object.row?.values[place] ?? .null, row.values[place], new)
    }
  }

  /// Gives an object another row. Attributes keep their values or take the row's, relationships are as the row says.
  private func replaceRow(
    of object: ManagedObject, _ row: Row, keeping keeps: (_ old: Value, _ stored: Value, _ new: Value) -> Bool
  ) throws {
    if !object.edits.isEmpty || object.row != nil {
      let count = object.entity.attributes.count
      let old = object.row?.values ?? Array(repeating: .null, count: count)
      let own = object.edits.isEmpty ? Array(old.prefix(count)) : object.edits
      let merged = own.enumerated().map { keeps(old[$0], row.values[$0], $1) ? $1 : row.values[$0] }
      object.edits = zip(merged, row.values).allSatisfy { $0.isSame(as: $1) } ? [] : merged
    }
    object.row = row
    unloadRelations(of: object)
  }

  /// Lets a relationship lead where it led here.
  private func keep(_ pointer: Pointer) throws {
    let stored = pointer.object.storedDestination(of: pointer.relationship)
    guard pointer.own != stored else { return try pointer.isChanged ? giveUp(pointer) : () }
    let target = try pointer.own.flatMap { try exists($0) ? $0 : nil }
    if let inverse = model.inverse(of: pointer.relationship), !inverse.isToMany {
      // Both ends have a column of their own, which somebody else may have changed.
      for id in [stored, target] { try id.map { try bringUpToDate(self.object(with: $0)) } }
    }
    try pointer.object.point(pointer.relationship, to: target.map { self.object(with: $0) }, self)
  }

  /// Lets a relationship lead where the row says, and what is there lead back again, which may have let go of the object.
  private func giveUp(_ pointer: Pointer) throws {
    let (object, relationship) = (pointer.object, pointer.relationship)
    let stored = object.storedDestination(of: relationship).map { self.object(with: $0) }
    let target = stored.flatMap { $0.isDeleted ? nil : $0 }
    // Another one's change may have led it elsewhere.
    try object.point(relationship, to: target, self)
    guard let target, let inverse = model.inverse(of: relationship) else { return }
    if inverse.isToMany {
      guard case .many(var many) = target.state(inverse) else { return }
      many.restore(object.objectID)
      target.setRelation(inverse, .many(many))
    } else {
      try bringUpToDate(target)
      guard try target.destination(of: inverse) != object.objectID else { return }
      try target.link(inverse, object, relationship, self)
    }
  }

  /// Gives the changes of objects up for what the store holds.
  func discardChanges(of versions: [(object: ManagedObject, row: Row)]) throws {
    let deleted = versions.filter(\.object.isDeleted)
    let living = versions.filter { !$0.object.isDeleted }
    for (object, row) in deleted { restore(object, row) }
    for (object, _) in deleted { try adapt(object) }
    for (object, _) in living { try withdrawPairs(of: object) }
    try rebase(living, keeping: MergePolicy.rollback.keeps)
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
        case .one(let id?) where ids.contains(id): object.relations[index] = .one(nil)
        case .many(var many):
          many.forget(ids)
          object.relations[index] = .many(many)
        default: break
        }
      }
    }
  }

  /// Inserts an object again that somebody else has deleted, with the attributes and the to-one relationships that it
  /// has here.
  func revive(_ object: ManagedObject) throws {
    if object.edits.isEmpty {
      object.edits = object.row.map { Array($0.values.prefix(object.entity.attributes.count)) } ?? []
    }
    let destinations = try object.entity.toOnes.map { relationship in
      // Where it leads may have been deleted, too.
      try object.destination(of: relationship).flatMap { try exists($0) ? $0 : nil }
    }
    unloadRelations(of: object)
    object.row = nil
    for (relationship, id) in zip(object.entity.toOnes, destinations) {
      object.setRelation(relationship, .one(nil))
      guard let destination = id.map({ self.object(with: $0) }) else { continue }
      // The other one deletion has made it let go.
      try bringUpToDate(destination)
      try object.point(relationship, to: destination, self)
    }
  }

  private func exists(_ id: ManagedObjectID) throws -> Bool {
    if let object = known(id), object.hasChanges { return !object.isDeleted }
    return try persistentStoreCoordinator.row(for: id) != nil
  }

  /// Takes the row of an unchanged object from the store.
  func bringUpToDate(_ object: ManagedObject) throws {
    guard !object.hasPersistentChangedValues, let row = try persistentStoreCoordinator.row(for: object.objectID),
      row.version != object.row?.version
    else { return }
    updatedObjects.remove(object)
    turnIntoFault(object, row)
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
        case .many(var many):
          many.restore(object.objectID)
          other.relations[relationship.index] = .many(many)
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

  /// Lets an object that was brought back let go of what is still deleted here.
  private func adapt(_ object: ManagedObject) throws {
    for relationship in object.entity.relationships {
      if !relationship.isToMany {
        try giveIn(object, relationship)
      } else if let inverse = model.inverse(of: relationship), inverse.isToMany {
        for id in try object.destinations(of: relationship) where self.object(with: id).isDeleted {
          try object.changeMany(relationship, .removed(id), self)
        }
      }
    }
  }

  /// Lets a to-one relationship let go of what is deleted here, and of what has taken hold of another object.
  private func giveIn(_ object: ManagedObject, _ relationship: Relationship) throws {
    guard let id = try object.destination(of: relationship), let inverse = model.inverse(of: relationship) else {
      return
    }
    let destination = self.object(with: id)
    // Faults are as the store says.
    if destination.isFault { return }
    let isHeld =
      try !destination.isDeleted && (inverse.isToMany || destination.leads(inverse, to: object.objectID, self))
    if !isHeld { try object.setDestination(relationship, nil, self) }
  }

  /// Takes back what was added to relationships or removed from them, on both sides, where both are to-many. Otherwise
  /// it is for the other side to take it back.
  func withdrawPairs(of object: ManagedObject) throws {
    for relationship in object.entity.relationships { try withdrawPairs(relationship, of: object) }
  }

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
