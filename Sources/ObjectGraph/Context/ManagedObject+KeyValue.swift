// Access to properties by name, like Core Data's key-value coding.

extension ManagedObject {
  /// Returns the value of the property `key`: an attribute's value, a related object, a set (to-many) or array
  /// (fetched) of objects, or nil.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` if the entity has no such property.
  public final func value(forKey key: String) throws -> Any? {
    switch entity.properties[key] {
    case .attribute(let index): return entity.attributes[index].type.object(try value(at: index))
    case .relationship(let index):
      let relationship = entity.relationships[index]
      return relationship.isToMany ? try objects(relationship) : try object(relationship)
    case .fetched: return try fetchedObjects(key)
    case nil: throw entity.unknown(key)
    }
  }

  /// Returns the value at the end of a path such as `student_class.classNames`, or nil. A path through several objects
  /// gives an array.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` if a name in the path is unknown.
  public final func value(forKeyPath path: String) throws -> Any? {
    guard let dot = path.firstIndex(of: ".") else { return try value(forKey: path) }
    let rest = String(path[path.index(after: dot)...])
    switch try value(forKey: String(path[..<dot])) {
    case nil: return nil
    case let object as ManagedObject: return try object.value(forKeyPath: rest)
    case let objects as Set<ManagedObject>:
      return try objects.ordered.compactMap { try $0.value(forKeyPath: rest) }
    case let objects as [ManagedObject]: return try objects.compactMap { try $0.value(forKeyPath: rest) }
    default: throw ObjectGraphError.unknownKey(rest, entity: "\(entity.name).\(path[..<dot])")
    }
  }

  /// Sets the property named `key` to a ``ManagedValue``, an object, a set of objects, or nil.
  ///
  /// - Throws: ``ObjectGraphError`` if `key` is unknown, or if the property cannot store the value.
  public final func setValue(_ value: Any?, forKey key: String) throws {
    switch entity.properties[key] {
    case .attribute(let index):
      let type = entity.attributes[index].type
      guard let value else { return try setValue(.null, at: index) }
      guard let managed = value as? any ManagedValue, type.converted(managed.stored) != nil else {
        throw entity.wrongType(index, found: "\(Swift.type(of: value))")
      }
      try setValue(managed.stored, at: index)
    case .relationship(let index):
      let relationship = entity.relationships[index]
      switch value {
      case nil where relationship.isToMany: try set(relationship, to: [])
      case nil: try set(relationship, to: ManagedObject?.none)
      case let object as ManagedObject where !relationship.isToMany: try set(relationship, to: object)
      case let objects as Set<ManagedObject> where relationship.isToMany: try set(relationship, to: objects)
      default:
        throw ObjectGraphError.wrongType(
          key: key, entity: entity.name, expected: relationship.isToMany ? "a set of objects" : "an object",
          found: "\(value.map { "\(Swift.type(of: $0))" } ?? "nil")")
      }
    case .fetched:
      throw ObjectGraphError.invalidRequest("\(entity.name).\(key) is a fetched property and cannot be set")
    case nil: throw entity.unknown(key)
    }
  }
}
