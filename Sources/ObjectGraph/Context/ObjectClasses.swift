extension EntityDescription {
  /// Declares an entity.
  public init(
    _ name: String, class objectClass: ManagedObject.Type = ManagedObject.self,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    fetchedProperties: [FetchedPropertyDescription] = [], uniquenessConstraints: [[String]] = [],
    indexes: [[String]] = [], renamedFrom: String? = nil
  ) {
    self.init(
      name, ownClass: objectClass.own, attributes: attributes, relationships: relationships,
      fetchedProperties: fetchedProperties, uniquenessConstraints: uniquenessConstraints, indexes: indexes,
      renamedFrom: renamedFrom)
  }

  /// The class of its objects.
  public var objectClass: ManagedObject.Type {
    get { ManagedObject.objectClass(ownClass) }
    set { ownClass = newValue.own }
  }
}

extension Entity {
  /// The class of its objects.
  public var objectClass: ManagedObject.Type { ManagedObject.objectClass(ownClass) }

  /// Whether the class is the app's own, which may do something when an object wakes up.
}

extension ManagedObject {
  /// The class as a model keeps it: nothing if it is this one, which is no app's own.
  fileprivate static var own: AnyClass? { self == ManagedObject.self ? nil : self }

  /// Returns the class that a model keeps as `own`.
  @inline(__always)
  fileprivate static func objectClass(_ own: AnyClass?) -> ManagedObject.Type {
    guard let own else { return ManagedObject.self }
    // An entity can only be declared with a subclass; each object that is made asks for its class, too often to check.
    return unsafeBitCast(own, to: ManagedObject.Type.self)
  }
}

extension ManagedObjectModel {
  /// Returns the entity whose objects are of a class, if there is exactly one.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)``.
  public func entity(of objectClass: ManagedObject.Type) throws -> Entity {
    let found = entities.filter { $0.objectClass == objectClass }
    guard let entity = found.first, found.count == 1 else {
      throw ObjectGraphError.unknownEntity("\(objectClass)")
    }
    return entity
  }
}
