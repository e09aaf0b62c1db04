extension ManagedObjectContext {
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
    // A conflicting deletion is kept or cancelled as a whole, not by property.
    let givenUp = versions.filter { $0.object.isDeleted ? !mergePolicy.keepsOwnChanges : mergePolicy == .rollback }
    let objects = Set(givenUp.map(\.object))
    try discardChanges(of: givenUp)
    try mergeSnapshots(versions.filter { !objects.contains($0.object) }, by: mergePolicy)
    // Objects that another writer deleted are inserted again last, when the effects of the deletions are known.
    if mergePolicy.keepsOwnChanges { for object in gone { try revive(object) } }
  }

  /// Resolves conflicts of unique values by the merge policy. Objects are deleted or lose unsaved changes. No object
  /// may occur in two conflicts.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)`` for a conflict that the policy cannot resolve.
  func resolve(_ conflicts: [ConstraintConflict]) throws {
    // Retains the stored objects until they are in the set of changed objects.
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

  private func databaseObjects(of conflicts: [ConstraintConflict]) throws -> [ManagedObject?] {
    var versions: [(object: ManagedObject, row: Row)] = []
    registered.reserve(conflicts.count)
    let objects = conflicts.map { conflict -> ManagedObject? in
      guard let id = conflict.databaseObjectID, let row = conflict.databaseSnapshot else { return nil }
      let object = self.object(with: id, row: row, nil)
      // An object changed in this context has this version already, because version conflicts are resolved first.
      if object.row?.version != row.version { versions.append((object, row)) }
      return object
    }
    rowCache.add(objects.compactMap(\.self)[...], nil)
    // The outdated objects are unchanged in this context, so every merge policy would give the same result.
    if !versions.isEmpty { try mergeSnapshots(versions, by: .mergeByPropertyObjectTrump) }
    return objects
  }

  /// Reverts the properties of `object` that cause a conflict, with the policy
  /// ``MergePolicy/mergeByPropertyStoreTrump``. With any other policy, adds `object` to `all`, so that the caller
  /// reverts all its changes.
  private func giveUp(
    _ object: ManagedObject, _ conflict: ConstraintConflict, _ all: inout [(object: ManagedObject, row: Row)]
  ) throws {
    guard let row = object.row else { throw ObjectGraphError.constraints([conflict]) }
    guard mergePolicy == .mergeByPropertyStoreTrump else { return all.append((object, row)) }
    for name in conflict.constraint {
      if case .attribute(let index) = object.entity.properties[name] {
        try object.setValue(row[index], at: index)
      } else {
        let relationship = try object.entity.relationship(name)
        let stored = object.storedDestination(of: relationship).map { self.object(with: $0) }
        try object.point(relationship, to: stored.flatMap { $0.isDeleted ? nil : $0 }, self)
      }
    }
  }

  private func takeOver(_ new: ManagedObject, into object: ManagedObject) throws {
    try object.realize()
    // One call covers all attributes, to speed up large imports. The change is not recorded for undo.
    willChange(object, nil)
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

extension Array {
  /// Adds `conflicts` to this list of a save's resolved conflicts. Returns false if the list already had all of them.
  mutating func addUnsettled(_ conflicts: [Element], by identity: (Element) -> [AnyHashable]) -> Bool {
    let known = isEmpty ? [] : Set(map(identity))
    let new = known.isEmpty ? conflicts : conflicts.filter { !known.contains(identity($0)) }
    self += new
    return !new.isEmpty
  }
}

extension [ConstraintConflict] {
  /// This array without the conflicts that have an object in common with an earlier conflict.
  var independent: [ConstraintConflict] {
    // Fast path for most saves: conflicts about one constraint share no object, because an object has one value for it.
    if let first,
      allSatisfy({
        $0.databaseObjectID != nil && $0.constraint == first.constraint
          && $0.firstObjectID.entity === first.firstObjectID.entity
      })
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
