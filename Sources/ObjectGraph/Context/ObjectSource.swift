/// The objects of a context for predicates and sort keys, including unsaved changes: as the store will have them after
/// a save.
struct ObjectSource: PredicateSource {
  let context: ManagedObjectContext

  func id(of node: ManagedObject) -> ManagedObjectID { node.objectID }

  func value(_ attribute: Attribute, of node: ManagedObject) throws -> Value {
    // A relationship with the rule No Action still leads to a deleted object, which will have no values.
    node.isDeleted ? .null : try node.value(at: attribute.index)
  }

  func destinations(_ relationship: Relationship, of node: ManagedObject) throws -> [ManagedObject] {
    guard relationship.isToMany else {
      return node.isDeleted ? [] : try node.object(relationship).map { [$0] } ?? []
    }
    let objects = try node.objects(relationship)
    guard case .inverseColumn = relationship.storage else { return Array(objects) }
    // The link is stored in the other object's row, and is deleted with it.
    let others = objects.filter { !$0.isDeleted }
    guard node.isDeleted, let inverse = context.model.inverse(of: relationship) else { return Array(others) }
    return try others.filter { try $0.destination(of: inverse) == node.objectID }
  }
}

extension Property {
  /// Returns a predicate: the relationship leads to the object, or it is the object itself.
  public static func == (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.equal, .object(right.objectID))
  }
  /// Returns a predicate: the relationship leads to another object or to none.
  public static func != (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.notEqual, .object(right.objectID))
  }
}
