import ObjectGraph
import TestSupport

/// A state of objects as lines of text, for comparisons and messages.
protocol LineState: Equatable, CustomStringConvertible {
  var lines: [String] { get }
}

extension LineState {
  var description: String { lines.joined(separator: "\n") }

  /// The lines that only one of two states has.
  func difference(from other: Self) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    return "here only: \(own.subtracting(others).sorted()), there only: \(others.subtracting(own).sorted())"
  }
}

/// The new, changed and deleted objects of a context, and the properties of each object. It reads every relationship.
struct ContextState: LineState {
  let lines: [String]

  init(_ context: ManagedObjectContext) throws {
    let sets = [
      ("inserted", context.insertedObjects), ("updated", context.updatedObjects), ("deleted", context.deletedObjects),
    ].map { name, objects in "\(name): \(objects.map(\.objectID.description).sorted())" }
    let objects = context.registeredObjects.sorted { $0.objectID.description < $1.objectID.description }
    lines =
      try ["has changes: \(context.hasChanges)"] + sets
      + objects.map { object in
        """
        \(object.objectID) inserted \(object.isInserted) updated \(object.isUpdated) deleted \(object.isDeleted) \
        changed \(object.changedKeys) \(try Self.properties(of: object))
        """
      }
  }

  private static func properties(of object: ManagedObject) throws -> [String] {
    try object.entity.attributes.map { "\($0.name) \(try object.value(of: $0))" }
      + object.entity.relationships.map { relationship in
        "\(relationship.name) \(try object.destinations(relationship).map(\.objectID.description).sorted())"
      }
  }
}

extension ManagedObject {
  /// The objects that a relationship leads to, whether it is to-one or to-many.
  func destinations(_ relationship: Relationship) throws -> Set<ManagedObject> {
    relationship.isToMany ? try objects(relationship) : Set([try object(relationship)].compactMap { $0 })
  }
}
