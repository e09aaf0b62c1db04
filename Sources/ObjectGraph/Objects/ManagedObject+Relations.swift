// Relationships and their inverses: whatever one side says, the other one says at once.

extension ManagedObject {
  /// The object at the other end of a to-one relationship.
  ///
  /// - Throws: ``ObjectGraphError``.
  public final func object(_ relationship: Relationship) throws -> ManagedObject? {
    try check(relationship, isToMany: false)
    guard let id = try destination(of: relationship) else { return nil }
    if let object = held[relationship.index]?.first, object.objectID == id, object.isInContext { return object }
    let object = try ownContext().object(with: id)
    held[relationship.index] = [object]
    return object
  }

  /// The objects at the other end of a to-many relationship.
  ///
  /// - Throws: ``ObjectGraphError``.
  public final func objects(_ relationship: Relationship) throws -> Set<ManagedObject> {
    try check(relationship, isToMany: true)
    let ids = try destinations(of: relationship)
    guard !ids.isEmpty else { return [] }
    let context = try ownContext()
    return Set(ids.map { context.object(with: $0) })
  }

  /// Sets a to-one relationship, and both inverses with it.
  ///
  /// - Throws: ``ObjectGraphError/foreignObject(_:)`` if the object is of another context or deleted;
  ///   ``ObjectGraphError/wrongType(key:entity:expected:found:)`` if it is of another entity;
  ///   ``ObjectGraphError/inaccessible(_:)`` if a row is known to be gone.
  public final func set(_ relationship: Relationship, to object: ManagedObject?) throws {
    try check(relationship, isToMany: false)
    let context = try ownContext()
    if let object { try checkNew(object, relationship, context) }
    try point(relationship, to: object, context)
  }

  /// Sets a to-one relationship and both inverses, whatever state the object at the other end is in.
  final func point(
    _ relationship: Relationship, to object: ManagedObject?, _ context: ManagedObjectContext
  ) throws {
    let old = try destination(of: relationship)
    guard old != object?.objectID else { return }
    try setDestination(relationship, object?.objectID, context)
    guard let inverse = context.model.inverse(of: relationship) else { return }
    if let old { try context.object(with: old).unlink(inverse, objectID, context) }
    try object?.link(inverse, self, relationship, context)
  }

  /// Replaces what is in a to-many relationship, and the inverses with it.
  ///
  /// - Throws: As ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func set(_ relationship: Relationship, to objects: Set<ManagedObject>) throws {
    let context = try ownContext()
    let present = try self.objects(relationship)
    for object in objects.subtracting(present) { try checkNew(object, relationship, context) }
    let order = { (left: ManagedObject, right: ManagedObject) in
      ManagedObjectID.isOrdered(left.objectID, right.objectID)
    }
    for object in present.subtracting(objects).sorted(by: order) { try remove(object, from: relationship) }
    for object in objects.subtracting(present).sorted(by: order) { try add(object, to: relationship) }
  }

  /// Adds an object to a to-many relationship, if it is not in it, and sets its inverse.
  ///
  /// - Throws: As ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func add(_ object: ManagedObject, to relationship: Relationship) throws {
    try check(relationship, isToMany: true)
    let context = try ownContext()
    try checkNew(object, relationship, context)
    guard let inverse = context.model.inverse(of: relationship) else { return }
    // One to many is kept by the other side.
    guard inverse.isToMany else { return try object.set(inverse, to: self) }
    guard try !destinations(of: relationship).contains(object.objectID) else { return }
    try changeMany(relationship, .added(object.objectID), context)
    try object.changeMany(inverse, .added(objectID), context)
  }

  /// Removes an object from a to-many relationship, if it is in it, and empties its inverse.
  ///
  /// - Throws: As ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func remove(_ object: ManagedObject, from relationship: Relationship) throws {
    try check(relationship, isToMany: true)
    let context = try ownContext()
    try check(object, relationship, context)
    guard let inverse = context.model.inverse(of: relationship) else { return }
    guard inverse.isToMany else {
      if try object.destination(of: inverse) == objectID { try object.set(inverse, to: ManagedObject?.none) }
      return
    }
    guard try destinations(of: relationship).contains(object.objectID) else { return }
    try changeMany(relationship, .removed(object.objectID), context)
    try object.changeMany(inverse, .removed(objectID), context)
  }

  @inline(__always)
  private func check(_ relationship: Relationship, isToMany: Bool) throws {
    if relationship.isToMany != isToMany { throw wrongKind(relationship) }
  }

  private func wrongKind(_ relationship: Relationship) -> ObjectGraphError {
    let kinds = ["an object", "a set of objects"]
    return .wrongType(
      key: relationship.name, entity: entity.name, expected: kinds[relationship.isToMany ? 1 : 0],
      found: kinds[relationship.isToMany ? 0 : 1])
  }

  // MARK: - By ID

  /// The ID at the other end of a to-one relationship.
  final func destination(of relationship: Relationship) throws -> ManagedObjectID? {
    checkQueue()
    if !relations.isEmpty, case .one(let id) = relations[relationship.index] { return id }
    if flags.contains(.fault) { try fire() }
    return storedDestination(of: relationship)
  }

  /// What the row says of a to-one relationship.
  final func storedDestination(of relationship: Relationship) -> ManagedObjectID? {
    guard case .column(let place) = relationship.storage, let row, case .integer(let key) = row.values[place],
      let context = managedObjectContext
    else { return nil }
    return ManagedObjectID(
      entity: context.model.destination(of: relationship), origin: objectID.origin, key: key)
  }

  /// The IDs in a to-many relationship; asks the store the first time.
  final func destinations(of relationship: Relationship) throws -> Set<ManagedObjectID> {
    checkQueue()
    if let loaded = toMany(relationship).loaded { return loaded }
    if isGone { return [] }
    let context = try ownContext()
    let stored = isInserted ? [] : try context.storedDestinations(of: relationship, from: objectID)
    return load(relationship, stored, context)
  }

  /// Takes over what the store holds in a to-many relationship. What is no change any more is none at the other end
  /// either.
  @discardableResult
  final func load(
    _ relationship: Relationship, _ stored: [ManagedObjectID], _ context: ManagedObjectContext
  ) -> Set<ManagedObjectID> {
    var many = toMany(relationship)
    let settled = many.load(stored)
    setRelation(relationship, .many(many))
    if !settled.isEmpty, let inverse = context.model.inverse(of: relationship), inverse.isToMany {
      for other in settled.compactMap(context.known) {
        var back = other.toMany(inverse)
        back.settle(objectID)
        other.setRelation(inverse, .many(back))
      }
    }
    return many.loaded ?? []
  }

  /// What is known of a to-many relationship.
  final func toMany(_ relationship: Relationship) -> ToMany {
    if !relations.isEmpty, case .many(let many) = relations[relationship.index] { return many }
    return ToMany()
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

  /// Changes what is known of a to-many relationship. A fault stays one: the save reads its row, with those of others.
  final func changeMany(
    _ relationship: Relationship, _ change: ToMany.Change, _ context: ManagedObjectContext
  ) throws {
    if isGone { throw ObjectGraphError.inaccessible(objectID) }
    context.willChange(self, .destinations(relationship.index, change))
    var many = toMany(relationship)
    many.apply(change)
    setRelation(relationship, .many(many))
  }

  final func state(_ relationship: Relationship) -> RelationState {
    relations.isEmpty ? .unloaded : relations[relationship.index]
  }

  /// Lets go of an object that has let go of this one. A row that is gone points to nobody any more.
  final func unlink(
    _ relationship: Relationship, _ id: ManagedObjectID, _ context: ManagedObjectContext
  ) throws {
    if relationship.isToMany {
      if !isGone { try changeMany(relationship, .removed(id), context) }
    } else if try leads(relationship, to: id, context) {
      try setDestination(relationship, nil, context)
    }
  }

  /// Takes hold of an object that has taken hold of this one; what a to-one relationship held before is let go of.
  final func link(
    _ relationship: Relationship, _ object: ManagedObject, _ forward: Relationship,
    _ context: ManagedObjectContext
  ) throws {
    guard !relationship.isToMany else {
      if !isGone { try changeMany(relationship, .added(object.objectID), context) }
      return
    }
    let old = try destination(of: relationship)
    guard !isGone else { return }
    if let old, old != object.objectID {
      let former = context.object(with: old)
      if try former.leads(forward, to: objectID, context) { try former.setDestination(forward, nil, context) }
    }
    try setDestination(relationship, object.objectID, context)
  }

  /// Whether a to-one relationship leads to an object that leads here. If it does not, somebody else may have changed
  /// this object since it was read, so that the save must not leave it as it is.
  final func leads(
    _ relationship: Relationship, to id: ManagedObjectID, _ context: ManagedObjectContext
  ) throws -> Bool {
    if try destination(of: relationship) != id { try context.bringUpToDate(self) }
    return try destination(of: relationship) == id
  }

  /// Checks what is to be at the other end from now on. Where a row has to be read and is gone, that is noticed before
  /// anything changes.
  private func checkNew(
    _ object: ManagedObject, _ relationship: Relationship, _ context: ManagedObjectContext
  ) throws {
    try check(object, relationship, context)
    if let inverse = context.model.inverse(of: relationship), !inverse.isToMany { try object.realize() }
    if object.isGone { throw ObjectGraphError.inaccessible(object.objectID) }
    guard !object.isDeleted else {
      throw ObjectGraphError.foreignObject("\(entity.name).\(relationship.name): \(object.objectID) is deleted")
    }
  }

  private func check(
    _ object: ManagedObject, _ relationship: Relationship, _ context: ManagedObjectContext
  ) throws {
    guard object.managedObjectContext === context else {
      throw ObjectGraphError.foreignObject(
        "\(entity.name).\(relationship.name): \(object.objectID) is of another context; pass its objectID")
    }
    let destination = context.model.destination(of: relationship)
    guard object.entity === destination else {
      throw ObjectGraphError.wrongType(
        key: relationship.name, entity: entity.name, expected: destination.name, found: object.entity.name)
    }
  }
}
