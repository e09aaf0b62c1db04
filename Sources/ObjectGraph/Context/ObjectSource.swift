/// A source from which predicates and sort keys read the objects of a context, including unsaved changes.
struct ObjectSource: PredicateSource {
  let context: ManagedObjectContext

  func id(of node: ManagedObject) -> ManagedObjectID { node.objectID }

  func value(_ attribute: Attribute, of node: ManagedObject) throws -> Value {
    // The rule No Action leaves a relationship to the deleted object, whose values then count as null.
    node.isDeleted ? .null : try node.value(at: attribute.index)
  }

  func destinations(_ relationship: Relationship, of node: ManagedObject) throws -> [ManagedObject] {
    guard relationship.isToMany else {
      return node.isDeleted ? [] : try node.object(relationship).map { [$0] } ?? []
    }
    let objects = try node.objects(relationship)
    guard case .inverseColumn = relationship.storage else { return Array(objects) }
    // The link is stored in the other object's row, and is deleted with that row.
    let others = objects.filter { !$0.isDeleted }
    guard node.isDeleted, let inverse = context.model.inverse(of: relationship) else { return Array(others) }
    return try others.filter { try $0.destination(of: inverse) == node.objectID }
  }
}

extension Property {
  /// Returns a predicate that finds objects whose relationship leads to `right`. To find `right` itself, use
  /// `Property.object`.
  public static func == (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.equal, .object(right.objectID))
  }
  /// Returns a predicate that finds objects whose relationship leads to an object other than `right`, or to none.
  public static func != (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.notEqual, .object(right.objectID))
  }
}
