// The relationships of an object, as the IDs of the objects at the other end.

extension ManagedObject {
  /// Returns the ID of the object to which a to-one relationship leads. Nil if the relationship is empty.
  final func destination(of relationship: Relationship) throws -> ManagedObjectID? {
    checkQueue()
    if !relations.isEmpty, case .one(let id) = relations[relationship.index] { return id }
    if flags.contains(.fault) { try fire() }
    if let id = storedDestination(of: relationship) { return id }
    // Without a context the destination is unknown. That is an error, unlike an empty relationship.
    if case .column(let index) = relationship.storage, let row, !row.values[index].isNull { _ = try ownContext() }
    return nil
  }

  /// Returns a to-one destination according to the row in memory, without unsaved changes. Nil if no row is in memory.
  final func storedDestination(of relationship: Relationship) -> ManagedObjectID? {
    guard case .column(let index) = relationship.storage, let row, case .integer(let key) = row.values[index],
      let context = managedObjectContext
    else { return nil }
    return ManagedObjectID(entity: context.model.destination(of: relationship), origin: objectID.origin, key: key)
  }

  /// Returns the IDs of the objects in a to-many relationship. The first call reads them from the store.
  final func destinations(of relationship: Relationship) throws -> Set<ManagedObjectID> {
    checkQueue()
    if let loaded = toMany(relationship).loaded { return loaded }
    // An object that was never saved has only destinations that are already known.
    if isInaccessible || managedObjectContext == nil && row == nil && !isFault { return [] }
    let context = try ownContext()
    let stored = isInserted ? [] : try context.storedDestinations(of: relationship, from: objectID)
    return load(relationship, stored, context)
  }

  /// Completes a to-many relationship with `stored`, the IDs that the store has. If the store already contains an
  /// unsaved change, this change is dropped, also in the inverse relationship.
  @discardableResult
  final func load(
    _ relationship: Relationship, _ stored: [ManagedObjectID], _ context: ManagedObjectContext
  ) -> Set<ManagedObjectID> {
    var many = toMany(relationship)
    let settled = many.load(stored)
    setRelation(relationship, .many(many))
    if !settled.isEmpty, let inverse = context.model.inverse(of: relationship), inverse.isToMany {
      for other in settled.compactMap(context.known) { other.updateToMany(inverse) { $0.settle(objectID) } }
    }
    return many.loaded ?? []
  }

  /// Returns the IDs in a to-many relationship as far as this object knows them, without reading the store.
  final func toMany(_ relationship: Relationship) -> ToMany {
    if !relations.isEmpty, case .many(let many) = relations[relationship.index] { return many }
    return ToMany()
  }

  final func updateToMany(_ relationship: Relationship, _ change: (inout ToMany) -> Void) {
    var many = toMany(relationship)
    // If the object held the sets as well, each change would copy them, and adding n objects would take n * n steps.
    if !relations.isEmpty { relations[relationship.index] = .unloaded }
    change(&many)
    setRelation(relationship, .many(many))
  }

  /// Resets to-one relationships to the stored destinations, and applies `change` to each to-many relationship.
  final func resetRelations(_ change: (inout ToMany) -> Void) {
    for index in relations.indices {
      switch relations[index] {
      case .unloaded: break
      case .one: relations[index] = .unloaded
      case .many(var many):
        // The state is moved out, so that the sets are not copied.
        relations[index] = .unloaded
        change(&many)
        relations[index] = .many(many)
      }
    }
  }

  final func setRelation(_ relationship: Relationship, _ state: RelationState) {
    if relations.isEmpty { relations = Array(repeating: .unloaded, count: entity.relationships.count) }
    relations[relationship.index] = state
  }

  // MARK: - One side only

  final func setDestination(
    _ relationship: Relationship, _ id: ManagedObjectID?, _ context: ManagedObjectContext
  ) throws {
    try realize()
    let old = try destination(of: relationship)
    context.willChange(self, .destination(relationship.index, from: old, to: id))
    setRelation(relationship, .one(id))
  }

  /// Adds or removes one object of a to-many relationship without reading this object's row. The next save reads the
  /// row.
  final func changeMany(_ relationship: Relationship, _ change: ToMany.Change, _ context: ManagedObjectContext) throws {
    if isInaccessible { throw ObjectGraphError.inaccessible(objectID) }
    context.willChange(self, .destinations(relationship.index, change))
    updateToMany(relationship) { $0.apply(change) }
  }

  final func state(_ relationship: Relationship) -> RelationState {
    relations.isEmpty ? .unloaded : relations[relationship.index]
  }

  /// Removes an ID from one of this object's relationships. The inverse stays unchanged. Does nothing if this object's
  /// row is gone from the store.
  final func unlink(_ relationship: Relationship, _ id: ManagedObjectID, _ context: ManagedObjectContext) throws {
    if relationship.isToMany {
      if !isInaccessible { try changeMany(relationship, .removed(id), context) }
    } else if try leads(relationship, to: id, context) {
      try setDestination(relationship, nil, context)
    }
  }

  /// Adds `object` to a relationship. A to-one relationship first empties `forward` of its former destination.
  final func link(
    _ relationship: Relationship, _ object: ManagedObject, _ forward: Relationship,
    _ context: ManagedObjectContext
  ) throws {
    guard !relationship.isToMany else {
      if !isInaccessible { try changeMany(relationship, .added(object.objectID), context) }
      return
    }
    let old = try destination(of: relationship)
    guard !isInaccessible else { return }
    if let old, old != object.objectID {
      let former = context.object(with: old)
      if try former.leads(forward, to: objectID, context) { try former.setDestination(forward, nil, context) }
    }
    try setDestination(relationship, object.objectID, context)
  }

  /// Returns whether a to-one relationship leads to an ID. If the row in memory leads elsewhere, it is first compared
  /// with the store and updated.
  final func leads(
    _ relationship: Relationship, to id: ManagedObjectID, _ context: ManagedObjectContext
  ) throws -> Bool {
    if try destination(of: relationship) != id { try context.bringUpToDate(self) }
    return try destination(of: relationship) == id
  }
}
