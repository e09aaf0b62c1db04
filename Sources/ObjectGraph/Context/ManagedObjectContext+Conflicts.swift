extension ManagedObjectContext {
  /// Does what the merge policy says with objects that somebody else has saved or deleted.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be read.
  func resolve(_ conflicts: [MergeConflict]) throws {
    var versions: [(object: ManagedObject, row: Row)] = []
    var gone: [ManagedObject] = []
    for conflict in conflicts {
      guard let object = registered[conflict.objectID] else { continue }
      if let stored = conflict.storedRow { versions.append((object, stored)) } else { gone.append(object) }
    }
    if !mergePolicy.keepsOwnChanges {
      for object in gone { invalidate(object) }
      dropReferences(to: Set(gone.map(\.objectID)))
    }
    // A deletion is no property: it is kept or given up.
    let givenUp = versions.filter { $0.object.isDeleted ? !mergePolicy.keepsOwnChanges : mergePolicy == .rollback }
    let objects = Set(givenUp.map(\.object))
    try discardChanges(of: givenUp)
    try rebase(versions.filter { !objects.contains($0.object) }, keeping: mergePolicy.keeps)
    // What their deletion has made of others is known now.
    if mergePolicy.keepsOwnChanges { for object in gone { try revive(object) } }
  }

  /// Does what the merge policy says with an object whose values another one has that must be unique.
  ///
  /// A new object makes way: where changes made here win, the one that is there takes its values over, so that who
  /// refers to it goes on doing so. Where an object was changed and that wins, the one that is there is deleted.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)`` if two objects are both changed here, so that no policy says which
  ///   one is to win.
  func resolve(_ conflict: ConstraintConflict) throws {
    guard let object = known(conflict.objectID), let id = conflict.conflictingID else {
      throw ObjectGraphError.constraints([conflict])
    }
    let other = self.object(with: id)
    if let stored = conflict.storedRow, !other.isInserted {
      if other.isFault { other.row = stored } else { try rebase([(other, stored)], keeping: mergePolicy.keeps) }
    }
    switch (object.isInserted, mergePolicy.keepsOwnChanges) {
    case (true, true):
      try takeOver(object, into: other)
      try delete(object)
    case (true, false): try delete(object)
    case (false, true) where !other.hasPersistentChangedValues: try delete(other)
    case (false, false):
      guard let row = object.row else { throw ObjectGraphError.constraints([conflict]) }
      try discardChanges(of: [(object, row)])
    default: throw ObjectGraphError.constraints([conflict])
    }
  }

  /// Gives an object everything that a new one has, those who refer to it included.
  private func takeOver(_ new: ManagedObject, into object: ManagedObject) throws {
    for attribute in new.entity.attributes {
      try object.setValue(try new.value(at: attribute.index), at: attribute.index)
    }
    for relationship in new.entity.relationships {
      if relationship.isToMany {
        for destination in try new.objects(relationship) { try object.add(destination, to: relationship) }
      } else {
        try object.set(relationship, to: try new.object(relationship))
      }
    }
  }
}
