/// One recorded change of an object, to be undone later.
enum UndoEvent {
  case inserted(ManagedObject)
  case deleted(Deletion)
  /// A change of an attribute: the object, the attribute's index in the entity, and the former value.
  case attribute(ManagedObject, Int, Value)
  case destination(ManagedObject, Relationship, from: ManagedObject?, to: ManagedObject?)
  /// A change of a to-many relationship: the object, the relationship, the related object, and whether that object was
  /// added.
  case member(ManagedObject, Relationship, ManagedObject, isIn: Bool)
}

/// The deletion of an object, recorded for undo.
struct Deletion {
  let object: ManagedObject
  let wasUpdated: Bool
  let store: PersistentStore?
  /// The unsaved objects to which the deleted object referred, by temporary ID. After a save has replaced the temporary
  /// IDs, an undo finds the objects only here.
  let unsaved: [ManagedObjectID: ManagedObject]

  init(of object: ManagedObject, in context: ManagedObjectContext) throws {
    self.object = object
    wasUpdated = object.isUpdated
    store = context.assignments[object.objectID]
    var ids: Set<ManagedObjectID> = []
    for relationship in object.entity.relationships {
      if relationship.isToMany {
        // Loads the relationship, which cannot be read after the save. The other delete rules load relationships
        // themselves.
        if relationship.deleteRule == .noAction { _ = try object.destinations(of: relationship) }
        ids.formUnion(object.toMany(relationship).loaded ?? object.toMany(relationship).added)
      } else if let id = try object.destination(of: relationship) {
        ids.insert(id)
      }
    }
    unsaved = Dictionary(
      uniqueKeysWithValues: ids.filter(\.isTemporary).compactMap { id in context.known(id).map { (id, $0) } })
  }
}

extension UndoManager {
  /// Undoes one recorded change.
  func takeBack(_ event: UndoEvent, in context: ManagedObjectContext) throws {
    switch event {
    case .inserted(let object):
      if let object = present(object) { try context.delete(object) }
    case .deleted(let deletion):
      let object = deletion.object
      if object.managedObjectContext === context, object.isDeleted { revive(deletion, in: context) }
    case .attribute(let object, let index, let value):
      try present(object)?.setValue(value, at: index)
    case .destination(let object, let relationship, let old, let new):
      guard let object = present(object) else { return }
      if try object.destination(of: relationship) != new.flatMap(present)?.objectID {
        try object.set(relationship, to: nil as ManagedObject?)
      }
      let id = old.flatMap(present)?.objectID
      if try object.destination(of: relationship) != id { try object.setDestination(relationship, id, context) }
    case .member(let object, let relationship, let other, let wasAdded):
      guard let object = present(object), let id = present(other)?.objectID else { return }
      if try isIn(id, relationship, of: object) == wasAdded {
        try object.changeMany(relationship, id, isIn: !wasAdded, context)
      }
    }
  }

  private func isIn(_ id: ManagedObjectID, _ relationship: Relationship, of object: ManagedObject) throws -> Bool {
    // A separate function releases the sets when it returns. Otherwise the caller's change would copy the sets.
    let many = object.toMany(relationship)
    return try many.added.contains(id)
      || !many.removed.contains(id) && object.destinations(of: relationship).contains(id)
  }

  private func present(_ object: ManagedObject) -> ManagedObject? {
    var object = object
    while object.managedObjectContext == nil {
      guard let successor = actions.successors[object.objectID] else { return nil }
      object = successor
    }
    return object.managedObjectContext === context ? object : nil
  }

  // MARK: - Deletions

  private func revive(_ deletion: Deletion, in context: ManagedObjectContext) {
    let object = deletion.object
    // A new object must be announced to observers again, because they have been notified of its deletion.
    object.flags.subtract(object.isInserted ? [.deleted, .propagated, .announced] : [.deleted, .propagated])
    context.deletedObjects.remove(object)
    if deletion.wasUpdated {
      object.flags.insert(.updated)
      context.updatedObjects.insert(object)
    }
    context.registerChange(of: object)
    record(.inserted(object))
  }

  /// Recreates the objects in `group` whose deletion was already saved, as new objects with the same values and
  /// relationships.
  func replaceLostObjects(of group: [UndoEvent], in context: ManagedObjectContext) throws {
    var lost: [(deletion: Deletion, successor: ManagedObject)] = []
    for case .deleted(let deletion) in group {
      let object = deletion.object
      guard object.managedObjectContext == nil, actions.successors[object.objectID] == nil else { continue }
      let successor = context.insert(object.entity)
      actions.successors[object.objectID] = successor
      context.assignments[successor.objectID] =
        deletion.store
        ?? context.persistentStoreCoordinator.persistentStores.first { $0.origin == object.objectID.origin }
      lost.append((deletion, successor))
    }
    for (deletion, successor) in lost { try restore(successor, deletion, in: context) }
  }

  /// Gives `object` the values and relationships of a deleted object. Remaining references to the deleted object then
  /// lead to `object`.
  private func restore(_ object: ManagedObject, _ deletion: Deletion, in context: ManagedObjectContext) throws {
    let former = deletion.object
    if let values = former.attributeValues { object.edits = values }
    for relationship in object.entity.relationships {
      var state = former.state(relationship)
      if case .unloaded = state, let id = former.storedDestination(of: relationship, in: context) { state = .one(id) }
      object.setRelation(relationship, try presentState(state, deletion, in: context))
      if relationship.deleteRule == .noAction { try relink(object, relationship, former.objectID, in: context) }
    }
  }

  private func relink(
    _ object: ManagedObject, _ relationship: Relationship, _ former: ManagedObjectID, in context: ManagedObjectContext
  ) throws {
    guard let inverse = context.model.inverse(of: relationship) else { return }
    for id in try object.orderedDestinations(of: relationship) {
      let other = context.object(with: id)
      if !inverse.isToMany {
        if try other.destination(of: inverse) == former { try other.setDestination(inverse, object.objectID, context) }
      } else if try !other.destinations(of: inverse).contains(object.objectID) {
        if try other.destinations(of: inverse).contains(former) {
          try other.changeMany(inverse, former, isIn: false, context)
        }
        try other.changeMany(inverse, object.objectID, isIn: true, context)
      }
    }
  }

  /// Returns the state of a relationship for the new object that replaces a deleted one. The state has the current IDs
  /// of the related objects that still exist.
  ///
  /// - Parameter state: The state of the relationship in the deleted object.
  private func presentState(
    _ state: RelationState, _ deletion: Deletion, in context: ManagedObjectContext
  ) throws -> RelationState {
    func presentID(_ id: ManagedObjectID) throws -> ManagedObjectID? {
      if let known = deletion.unsaved[id] ?? actions.successors[id] ?? context.known(id) {
        return present(known)?.objectID
      }
      return try context.existingObject(with: id)?.objectID
    }
    switch state {
    case .unloaded: return .unloaded
    case .one(let id): return .one(try id.flatMap(presentID))
    case .many(let former):
      var many = ToMany()
      many.loaded = []
      for id in former.loaded ?? former.added {
        if let id = try presentID(id) { many.add(id) }
      }
      return .many(many)
    }
  }
}
