/// A source of object values, including unsaved changes, for predicates and sort keys that are evaluated in memory.
extension ManagedObjectContext: PredicateSource {
  func id(of node: ManagedObject) -> ManagedObjectID { node.objectID }

  func value(_ attribute: Attribute, of node: ManagedObject) throws -> Value {
    // The delete rule `noAction` keeps references to a deleted object, whose values then count as null.
    node.isDeleted ? .null : try node.value(at: attribute.index)
  }

  func destinations(_ relationship: Relationship, of node: ManagedObject) throws -> [ManagedObject] {
    guard relationship.isToMany else {
      return node.isDeleted ? [] : try node.object(relationship).map { [$0] } ?? []
    }
    let objects = try node.objects(relationship)
    guard case .inverseColumn = relationship.storage else { return Array(objects) }
    // The link is stored in the related object's row, and is deleted with that row.
    let others = objects.filter { !$0.isDeleted }
    guard node.isDeleted, let inverse = model.inverse(of: relationship) else { return Array(others) }
    return try others.filter { try $0.destination(of: inverse) == node.objectID }
  }
}

extension Property {
  /// Returns a predicate for objects whose relationship `left` leads to `right`. `Property.object == right` finds the
  /// object `right` itself.
  public static func == (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.equal, .object(right.objectID))
  }
  /// Returns a predicate for objects whose relationship `left` is empty or leads to an object other than `right`.
  public static func != (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.notEqual, .object(right.objectID))
  }
}
