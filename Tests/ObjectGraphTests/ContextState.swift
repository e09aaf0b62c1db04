import ObjectGraph

/// All that a context shows: which objects are new, changed and deleted, and what each object says of its properties.
/// It reads every relationship, so that two of them are compared as somebody sees them who looks at everything.
struct ContextState: Equatable, CustomStringConvertible {
  private let lines: [String]

  init(_ context: ManagedObjectContext) throws {
    var lines = ["has changes: \(context.hasChanges)"]
    for (name, objects) in [
      ("inserted", context.insertedObjects), ("updated", context.updatedObjects), ("deleted", context.deletedObjects),
    ] {
      lines.append("\(name): \(objects.map(\.objectID.description).sorted())")
    }
    let objects = context.registeredObjects.sorted { $0.objectID.description < $1.objectID.description }
    for object in objects {
      lines.append(
        """
        \(object.objectID) inserted \(object.isInserted) updated \(object.isUpdated) deleted \(object.isDeleted) \
        changed \(object.changedKeys) \(try Self.properties(of: object))
        """)
    }
    self.lines = lines
  }

  private static func properties(of object: ManagedObject) throws -> [String] {
    try object.entity.attributes.map { "\($0.name) \(try object.value(of: $0))" }
      + object.entity.relationships.map { relationship in
        let objects =
          relationship.isToMany
          ? try object.objects(relationship) : Set([try object.object(relationship)].compactMap { $0 })
        return "\(relationship.name) \(objects.map(\.objectID.description).sorted())"
      }
  }

  var description: String { lines.joined(separator: "\n") }

  /// What differs, for messages.
  func difference(from other: ContextState) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    return "here only: \(own.subtracting(others).sorted()), there only: \(others.subtracting(own).sorted())"
  }
}
