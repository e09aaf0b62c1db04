extension EntityDescription {
  /// Declares an entity and the class of its objects. Without a class, its objects are instances of `ManagedObject`.
  public init(
    _ name: String, class objectClass: ManagedObject.Type = ManagedObject.self,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    fetchedProperties: [FetchedPropertyDescription] = [], uniquenessConstraints: [[String]] = [],
    indexes: [[String]] = [], renamedFrom: String? = nil
  ) {
    self.init(
      name: name, ownClass: objectClass.own, attributes: attributes, relationships: relationships,
      fetchedProperties: fetchedProperties, uniquenessConstraints: uniquenessConstraints, indexes: indexes,
      renamingIdentifier: renamedFrom)
  }

  /// The class of the entity's objects.
  public var objectClass: ManagedObject.Type {
    get { ManagedObject.objectClass(ownClass) }
    set { ownClass = newValue.own }
  }
}

extension Entity {
  /// The class of the entity's objects.
  public var objectClass: ManagedObject.Type { ManagedObject.objectClass(description.ownClass) }
}

extension ManagedObject {
  fileprivate static var own: AnyClass? { self == ManagedObject.self ? nil : self }

  @inline(__always)
  fileprivate static func objectClass(_ own: AnyClass?) -> ManagedObject.Type {
    guard let own else { return ManagedObject.self }
    // The cast is unchecked for speed, because each new object needs it. An entity is declared only with a subclass.
    return unsafeBitCast(own, to: ManagedObject.Type.self)
  }
}

extension ManagedObjectModel {
  /// Returns the entity whose objects have the given class, if there is exactly one.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if there is none or more than one.
  public func entity(of objectClass: ManagedObject.Type) throws -> Entity {
    let found = entities.filter { $0.objectClass == objectClass }
    try require(found.count == 1, .unknownEntity("\(objectClass)"))
    return found[0]
  }
}
