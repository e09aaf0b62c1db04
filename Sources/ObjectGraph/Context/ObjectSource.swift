/// The objects of a context to predicates and sort keys, with what has not been saved: as a store will have them after a
/// save.
struct ObjectSource: PredicateSource {
  let context: ManagedObjectContext

  func id(of node: ManagedObject) -> ManagedObjectID { node.objectID }

  func value(_ attribute: Attribute, of node: ManagedObject) throws -> Value {
    // A relationship of rule No Action goes on leading to a deleted object, of which nothing will be left.
    node.isDeleted ? .null : try node.value(at: attribute.index)
  }

  func destinations(_ relationship: Relationship, of node: ManagedObject) throws -> [ManagedObject] {
    guard relationship.isToMany else {
      return node.isDeleted ? [] : try node.object(relationship).map { [$0] } ?? []
    }
    let objects = try node.objects(relationship)
    guard case .inverseColumn = relationship.storage else { return Array(objects) }
    // The other object's row says so, and goes with it.
    let others = objects.filter { !$0.isDeleted }
    guard node.isDeleted, let inverse = context.model.inverse(of: relationship) else { return Array(others) }
    return try others.filter { try $0.destination(of: inverse) == node.objectID }
  }
}

extension Property {
  /// The relationship leads to the object, or it is the object itself.
  public static func == (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.equal, .object(right.objectID))
  }
  /// The relationship leads to another object, or nowhere.
  public static func != (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.notEqual, .object(right.objectID))
  }
}
