import ObjectGraph
import TestSupport

extension [String] {
  /// The lines that only one of two states has.
  func difference(from other: Self) -> String {
    let (own, others) = (Set(self), Set(other))
    return "here only: \(own.subtracting(others).sorted()), there only: \(others.subtracting(own).sorted())"
  }
}

extension ManagedObjectContext {
  /// The new, changed and deleted objects, and the properties of each object, as lines. It reads every relationship.
  func state() throws -> [String] {
    let sets = [("inserted", insertedObjects), ("updated", updatedObjects), ("deleted", deletedObjects)]
      .map { name, objects in "\(name): \(objects.map(\.objectID.description).sorted())" }
    let objects = registeredObjects.sorted { $0.objectID.description < $1.objectID.description }
    return try ["has changes: \(hasChanges)"] + sets
      + objects.map { object in
        """
        \(object.objectID) inserted \(object.isInserted) updated \(object.isUpdated) deleted \(object.isDeleted) \
        changed \(object.changedKeys) \(try object.properties())
        """
      }
  }
}

extension ManagedObject {
  fileprivate func properties() throws -> [String] {
    try entity.attributes.map { "\($0.name) \(try value(of: $0))" }
      + entity.relationships.map { relationship in
        "\(relationship.name) \(try destinations(relationship).map(\.objectID.description).sorted())"
      }
  }

  /// The objects that a relationship leads to, whether it is to-one or to-many.
  func destinations(_ relationship: Relationship) throws -> Set<ManagedObject> {
    relationship.isToMany ? try objects(relationship) : Set([try object(relationship)].compactMap { $0 })
  }
}
