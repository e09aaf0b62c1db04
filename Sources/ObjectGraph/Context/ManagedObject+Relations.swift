// Access to related objects. A change of a relationship changes its inverse at once.

extension ManagedObject {
  /// Returns the object to which a to-one relationship leads, or nil if the relationship is empty.
  ///
  /// - Throws: ``ObjectGraphError`` if the relationship is not to-one or cannot be read.
  public final func object(_ relationship: Relationship) throws -> ManagedObject? {
    try check(relationship, isToMany: false)
    guard let id = try destination(of: relationship) else { return nil }
    if let object = keptObjects[relationship.index]?.first, object.objectID == id, object.isInContext {
      return object
    }
    let object = try ownContext().object(with: id)
    keptObjects[relationship.index] = [object]
    return object
  }

  /// Returns the objects to which a to-many relationship leads.
  ///
  /// - Throws: ``ObjectGraphError`` if the relationship is not to-many or cannot be read.
  public final func objects(_ relationship: Relationship) throws -> Set<ManagedObject> {
    try check(relationship, isToMany: true)
    let ids = try destinations(of: relationship)
    guard !ids.isEmpty else { return [] }
    let context = try ownContext()
    return Set(ids.map { context.object(with: $0) })
  }

  /// Makes a to-one relationship lead to `object`, or to no object if `object` is nil. Updates the inverse
  /// relationships.
  ///
  /// - Throws:
  ///   - ``ObjectGraphError/foreignObject(_:)`` if `object` belongs to another context or is deleted.
  ///   - ``ObjectGraphError/wrongType(key:entity:expected:found:)`` if `object` has the wrong entity.
  ///   - ``ObjectGraphError/inaccessible(_:)`` if the row of this object or of `object` is gone.
  public final func set(_ relationship: Relationship, to object: ManagedObject?) throws {
    try check(relationship, isToMany: false)
    let context = try ownContext()
    if let object { try checkNew(object, relationship, context) }
    try point(relationship, to: object, context)
    if flags.contains(.refused) { context.forgetRefusal(of: relationship.name, self) }
  }

  /// Sets a to-one relationship to `object` or nil, and updates the inverses. Even a deleted object is accepted.
  final func point(_ relationship: Relationship, to object: ManagedObject?, _ context: ManagedObjectContext) throws {
    let old = try destination(of: relationship)
    guard old != object?.objectID else { return }
    try setDestination(relationship, object?.objectID, context)
    guard let inverse = context.model.inverse(of: relationship) else { return }
    if let old { try context.object(with: old).unlink(inverse, objectID, context) }
    try object?.link(inverse, self, relationship, context)
  }

  /// Replaces the objects of a to-many relationship and updates the inverse relationships.
  ///
  /// - Throws: The same errors as ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func set(_ relationship: Relationship, to objects: Set<ManagedObject>) throws {
    let context = try ownContext()
    let present = try self.objects(relationship)
    for object in objects.subtracting(present) { try checkNew(object, relationship, context) }
    for object in present.subtracting(objects).ordered { try remove(object, from: relationship) }
    for object in objects.subtracting(present).ordered { try add(object, to: relationship) }
    if flags.contains(.refused) { context.forgetRefusal(of: relationship.name, self) }
  }

  /// Adds an object to a to-many relationship, unless it is already a member, and updates the inverse relationship.
  ///
  /// - Throws: The same errors as ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func add(_ object: ManagedObject, to relationship: Relationship) throws {
    try change(relationship, object, isIn: true)
  }

  /// Removes an object from a to-many relationship, if it is a member, and updates the inverse relationship.
  ///
  /// - Throws: The same errors as ``set(_:to:)-(Relationship,ManagedObject?)``.
  public final func remove(_ object: ManagedObject, from relationship: Relationship) throws {
    try change(relationship, object, isIn: false)
  }

  private func change(_ relationship: Relationship, _ object: ManagedObject, isIn: Bool) throws {
    try check(relationship, isToMany: true)
    let context = try ownContext()
    try isIn ? checkNew(object, relationship, context) : check(object, relationship, context)
    guard let inverse = context.model.inverse(of: relationship) else { return }
    guard inverse.isToMany else {
      // The link is stored in the row of the other object.
      if isIn { return try object.set(inverse, to: self) }
      if try object.destination(of: inverse) == objectID { try object.set(inverse, to: ManagedObject?.none) }
      return
    }
    guard try destinations(of: relationship).contains(object.objectID) != isIn else { return }
    try changeMany(relationship, object.objectID, isIn: isIn, context)
    try object.changeMany(inverse, objectID, isIn: isIn, context)
  }

  @inline(__always)
  private func check(_ relationship: Relationship, isToMany: Bool) throws {
    guard relationship.isToMany != isToMany else { return }
    let kinds = ["an object", "a set of objects"]
    throw ObjectGraphError.wrongType(
      key: relationship.name, entity: entity.name, expected: kinds[relationship.isToMany ? 1 : 0],
      found: kinds[relationship.isToMany ? 0 : 1])
  }

  private func checkNew(_ object: ManagedObject, _ relationship: Relationship, _ context: ManagedObjectContext) throws {
    try check(object, relationship, context)
    if let inverse = context.model.inverse(of: relationship), !inverse.isToMany { try object.realize() }
    if object.isInaccessible { throw ObjectGraphError.inaccessible(object.objectID) }
    try require(!object.isDeleted, .foreignObject("\(entity.name).\(relationship.name): \(object.objectID) is deleted"))
  }

  private func check(_ object: ManagedObject, _ relationship: Relationship, _ context: ManagedObjectContext) throws {
    try object.check(isIn: context, for: "\(entity.name).\(relationship.name): ")
    let destination = context.model.destination(of: relationship)
    try require(
      object.entity === destination,
      .wrongType(key: relationship.name, entity: entity.name, expected: destination.name, found: object.entity.name))
  }
}
