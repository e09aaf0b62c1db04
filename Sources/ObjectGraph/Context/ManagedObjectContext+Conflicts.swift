extension ManagedObjectContext {
  /// Does what the merge policy says with objects that somebody else has saved or deleted.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be read.
  func resolve(_ conflicts: [MergeConflict]) throws {
    var versions: [(object: ManagedObject, row: Row)] = []
    var gone: [ManagedObject] = []
    for conflict in conflicts {
      guard let object = registered[conflict.objectID] else { continue }
      if let stored = conflict.persistedSnapshot { versions.append((object, stored)) } else { gone.append(object) }
    }
    if !mergePolicy.keepsOwnChanges {
      for object in gone { invalidate(object) }
      dropReferences(to: Set(gone.map(\.objectID)))
    }
    // A deletion is no property: it is kept or given up.
    let givenUp = versions.filter { $0.object.isDeleted ? !mergePolicy.keepsOwnChanges : mergePolicy == .rollback }
    let objects = Set(givenUp.map(\.object))
    try discardChanges(of: givenUp)
    try mergeSnapshots(versions.filter { !objects.contains($0.object) }, keeping: mergePolicy.keeps)
    // The effects of their deletion on others are known now.
    if mergePolicy.keepsOwnChanges { for object in gone { try revive(object) } }
  }

  /// Does what the merge policy says with objects that share values that must be unique.
  ///
  /// New objects make way: where changes made here win, the object that is there takes their values over, so that who
  /// refers to it goes on doing so; of several new ones the first stays. A changed object that meets one of the store
  /// gives its change up, or that one is deleted.
  ///
  /// - Parameter conflicts: No object is in two of them.
  /// - Throws: ``ObjectGraphError/constraints(_:)`` if two objects are both changed here and changes made here win, so
  ///   that no policy says which one.
  func resolve(_ conflicts: [ConstraintConflict]) throws {
    // Held until they are among the changed ones.
    let others = try databaseObjects(of: conflicts)
    if mergePolicy.keepsOwnChanges { updatedObjects.reserveCapacity(updatedObjects.count + others.count) }
    var givenUp: [(object: ManagedObject, row: Row)] = []
    for (conflict, other) in zip(conflicts, others) {
      if let other {
        guard let object = known(conflict.firstObjectID) else { continue }
        if object.isInserted {
          if mergePolicy.keepsOwnChanges { try takeOver(object, into: other) }
          try delete(object)
        } else if !mergePolicy.keepsOwnChanges {
          try giveUp(object, conflict, &givenUp)
        } else if !other.hasPersistentChangedValues {
          try delete(other)
        } else {
          throw ObjectGraphError.constraints([conflict])
        }
        continue
      }
      let objects = conflict.conflictingObjectIDs.compactMap(known)
      guard let first = objects.first else { continue }
      let changed = objects.prefix { !$0.isInserted }
      if changed.count < 2 {
        for new in objects.dropFirst() {
          if mergePolicy.keepsOwnChanges { try takeOver(new, into: first) }
          try delete(new)
        }
      } else if mergePolicy.keepsOwnChanges {
        throw ObjectGraphError.constraints([conflict])
      } else {
        for object in changed { try giveUp(object, conflict, &givenUp) }
      }
    }
    try discardChanges(of: givenUp)
  }

  /// Of each conflict the object that has the values in the store, as it is there now.
  private func databaseObjects(of conflicts: [ConstraintConflict]) throws -> [ManagedObject?] {
    var versions: [(object: ManagedObject, row: Row)] = []
    registered.reserve(conflicts.count)
    let objects = conflicts.map { conflict -> ManagedObject? in
      guard let id = conflict.databaseObjectID, let row = conflict.databaseSnapshot else { return nil }
      let object = self.object(with: id, row: row, nil)
      // One that was changed here has this version: conflicts of versions come first.
      if object.row?.version != row.version { versions.append((object, row)) }
      return object
    }
    rowCache.add(objects.compactMap(\.self)[...], nil)
    // It was not changed: there is nothing that a policy could keep.
    if !versions.isEmpty { try mergeSnapshots(versions, keeping: MergePolicy.mergeByPropertyObjectTrump.keeps) }
    return objects
  }

  /// Lets a changed object have again what the store has: by property those that must be unique, else everything.
  private func giveUp(
    _ object: ManagedObject, _ conflict: ConstraintConflict, _ all: inout [(object: ManagedObject, row: Row)]
  ) throws {
    guard let row = object.row else { throw ObjectGraphError.constraints([conflict]) }
    guard mergePolicy == .mergeByPropertyStoreTrump else { return all.append((object, row)) }
    for name in conflict.constraint {
      if case .attribute(let place) = object.entity.properties[name] {
        try object.setValue(row.values[place], at: place)
      } else {
        let relationship = try object.entity.relationship(name)
        let stored = object.storedDestination(of: relationship).map { self.object(with: $0) }
        try object.point(relationship, to: stored.flatMap { $0.isDeleted ? nil : $0 }, self)
      }
    }
  }

  /// Gives an object everything that a new one has, those who refer to it included.
  private func takeOver(_ new: ManagedObject, into object: ManagedObject) throws {
    try object.realize()
    // One change, and not one for each attribute: this is what a large import consists of, and it is not recorded.
    willChange(object, .attribute(0, .null))
    object.edits = new.edits
    for relationship in new.entity.relationships {
      if relationship.isToMany {
        for destination in try new.objects(relationship) { try object.add(destination, to: relationship) }
      } else {
        try object.set(relationship, to: try new.object(relationship))
      }
    }
  }
}

/// The conflicts that a save has met and that its merge policy has settled.
struct SettledConflicts {
  private(set) var versions: [MergeConflict] = []
  private(set) var constraints: [ConstraintConflict] = []

  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty }

  /// Adds conflicts that are about to be settled.
  ///
  /// - Returns: False if all of them were settled before, and that has not brought the save forward.
  mutating func add(_ conflicts: [MergeConflict]) -> Bool {
    var known = Set(versions.map { VersionConflict(object: $0.objectID, version: $0.newVersion) })
    let new = conflicts.filter { known.insert(VersionConflict(object: $0.objectID, version: $0.newVersion)).inserted }
    versions += new
    return !new.isEmpty
  }

  private struct VersionConflict: Hashable {
    let object: ManagedObjectID
    let version: Int64
  }

  /// Adds conflicts that are about to be settled.
  ///
  /// - Returns: As ``add(_:)-([MergeConflict])``.
  mutating func add(_ conflicts: [ConstraintConflict]) -> Bool {
    guard !constraints.isEmpty else {
      constraints = conflicts
      return true
    }
    var known = Set(constraints.map(SharedValues.init))
    let new = conflicts.filter { known.insert(SharedValues($0)).inserted }
    constraints += new
    return !new.isEmpty
  }

  private struct SharedValues: Hashable {
    let constraint: [String]
    let objects: [ManagedObjectID]
    let databaseObject: ManagedObjectID?

    init(_ conflict: ConstraintConflict) {
      constraint = conflict.constraint
      objects = conflict.conflictingObjectIDs
      databaseObject = conflict.databaseObjectID
    }
  }
}

extension [ConstraintConflict] {
  /// Those that can be settled one by one: the first one about each object. The others may be none any more afterwards.
  var independent: [ConstraintConflict] {
    // Each of its objects has one value, and no other object of the store has it: most saves meet nothing else.
    if let first,
      allSatisfy({ $0.databaseObjectID != nil && $0.constraint == first.constraint && $0.entity == first.entity })
    {
      return self
    }
    var objects: Set<ManagedObjectID> = []
    objects.reserveCapacity(2 * count)
    return filter { conflict in
      let isNew =
        objects.isDisjoint(with: conflict.conflictingObjectIDs)
        && conflict.databaseObjectID.map(objects.contains) != true
      objects.formUnion(conflict.conflictingObjectIDs)
      if let id = conflict.databaseObjectID { objects.insert(id) }
      return isNew
    }
  }
}
