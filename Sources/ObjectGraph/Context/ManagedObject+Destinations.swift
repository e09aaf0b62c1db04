extension ManagedObject {
  final func destination(of relationship: Relationship) throws -> ManagedObjectID? {
    checkQueue()
    if !relations.isEmpty, case .one(let id) = relations[relationship.index] { return id }
    if flags.contains(.fault) { try fire() }
    if let id = storedDestination(of: relationship) { return id }
    // Without a context, the destination is unknown, which is an error. Nil would mean an empty relationship.
    if case .column(let index) = relationship.storage, let row, !row[index].isNull { _ = try ownContext() }
    return nil
  }

  /// Returns the related object in the loaded row. For an object without a context, `context` is its former one.
  final func storedDestination(
    of relationship: Relationship, in context: ManagedObjectContext? = nil
  ) -> ManagedObjectID? {
    guard case .column(let index) = relationship.storage, let row, case .integer(let key) = row[index],
      let context = context ?? managedObjectContext
    else { return nil }
    return ManagedObjectID(entity: context.model.destination(of: relationship), origin: objectID.origin, key: key)
  }

  final func destinations(of relationship: Relationship) throws -> Set<ManagedObjectID> {
    checkQueue()
    if let loaded = toMany(relationship).loaded { return loaded }
    // Objects that were never saved, or whose row is gone, have no stored destinations.
    if isInaccessible || managedObjectContext == nil && row == nil && !isFault { return [] }
    let context = try ownContext()
    if isInserted { return load(relationship, [], context) }
    let entity = context.model.destination(of: relationship)
    let links = try context.persistentStoreCoordinator.destinations(
      of: relationship, from: [objectID], in: entity, context.readGeneration())
    return load(relationship, links, context)
  }

  /// Returns the IDs of all objects to which a to-one or to-many relationship leads, in order.
  final func orderedDestinations(of relationship: Relationship) throws -> [ManagedObjectID] {
    relationship.isToMany
      ? try destinations(of: relationship).sorted(by: ManagedObjectID.isOrdered)
      : try destination(of: relationship).map { [$0] } ?? []
  }

  /// Fills a to-many relationship with the destinations of the stored `links`, then applies the unsaved additions and
  /// removals of the relationship. Returns the result.
  @discardableResult
  final func load(
    _ relationship: Relationship, _ links: [(source: Int64, destination: Int64)], _ context: ManagedObjectContext
  ) -> Set<ManagedObjectID> {
    let entity = context.model.destination(of: relationship)
    let stored = links.map { ManagedObjectID(entity: entity, origin: objectID.origin, key: $0.destination) }
    var many = toMany(relationship)
    let settled = many.load(stored)
    setRelation(relationship, .many(many))
    if !settled.isEmpty, let inverse = context.model.inverse(of: relationship), inverse.isToMany {
      for other in settled.compactMap(context.known) { other.updateToMany(inverse) { $0.settle(objectID) } }
    }
    return many.loaded ?? []
  }

  /// Returns the loaded objects and the unsaved changes of a to-many relationship, without reading the store.
  final func toMany(_ relationship: Relationship) -> ToMany {
    if !relations.isEmpty, case .many(let many) = relations[relationship.index] { return many }
    return ToMany()
  }

  final func updateToMany(_ relationship: Relationship, _ change: (inout ToMany) -> Void) {
    var many = toMany(relationship)
    // Clears the object's copy first. Otherwise each change would copy the sets, and adding n objects would take n²
    // steps.
    if !relations.isEmpty { relations[relationship.index] = .unloaded }
    change(&many)
    setRelation(relationship, .many(many))
  }

  final func resetRelations(_ change: (inout ToMany) -> Void) {
    for index in relations.indices {
      switch relations[index] {
      case .unloaded: break
      case .one: relations[index] = .unloaded
      case .many(var many):
        // Cleared first, so that `change` does not copy the sets.
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
    context.willChange(
      self,
      .destination(self, relationship, from: old.flatMap(context.recordable), to: id.flatMap(context.recordable)))
    setRelation(relationship, .one(id))
  }

  /// Adds an object to a to-many relationship if `isIn` is true, else removes it. The inverse relationship stays
  /// unchanged.
  final func changeMany(
    _ relationship: Relationship, _ id: ManagedObjectID, isIn: Bool, _ context: ManagedObjectContext
  ) throws {
    if isInaccessible { throw ObjectGraphError.inaccessible(objectID) }
    context.willChange(self, context.recordable(id).map { .member(self, relationship, $0, isIn: isIn) })
    updateToMany(relationship) { isIn ? $0.add(id) : $0.remove(id) }
  }

  final func state(_ relationship: Relationship) -> RelationState {
    relations.isEmpty ? .unloaded : relations[relationship.index]
  }

  final func unlink(_ relationship: Relationship, _ id: ManagedObjectID, _ context: ManagedObjectContext) throws {
    if relationship.isToMany {
      if !isInaccessible { try changeMany(relationship, id, isIn: false, context) }
    } else if try leads(relationship, to: id, context) {
      try setDestination(relationship, nil, context)
    }
  }

  /// Makes `relationship` of this object lead to `object`. The caller must set the inverse relationship, `forward` of
  /// `object`.
  final func link(
    _ relationship: Relationship, _ object: ManagedObject, _ forward: Relationship,
    _ context: ManagedObjectContext
  ) throws {
    guard !relationship.isToMany else {
      if !isInaccessible { try changeMany(relationship, object.objectID, isIn: true, context) }
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

  /// Returns whether a to-one relationship of this object leads to `id`. Before returning false for an unchanged
  /// object, reads the newest row from the store.
  final func leads(
    _ relationship: Relationship, to id: ManagedObjectID, _ context: ManagedObjectContext
  ) throws -> Bool {
    if try destination(of: relationship) != id { try context.bringUpToDate(self) }
    return try destination(of: relationship) == id
  }
}
