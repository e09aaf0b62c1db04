import Testing

/// A backend, an example or Lab uses each public symbol of ObjectGraph, or the list below gives a reason for it.
@Suite struct PublicSymbolTests {
  /// The symbols that no program of this repository uses, by the reason for which they are public. "Claim" and "C" are
  /// the numbers of the specification, as in docs/explanation/object-graph.md.
  private static let reachedBy: [(reason: String, names: [String])] = [
    (
      "the type of a public property or argument, or what a protocol asks for",
      [
        "BatchedObjects", "ComparisonModifier", "ComparisonOperator", "ComparisonPredicate", "ConcurrencyType",
        "Function",
        "hash", "Keys", "ManagedObjectID", "Operand", "Origin", "QueryGenerationToken", "Synchronous", "entityName",
        "modifier",
        "operand",
      ]
    ),
    (
      "programs of others: entities and attributes",
      [
        "AttributeType", "fetchedProperties", "isNull", "length", "isOptional", "managedObjectModel", "objectClass",
        "pattern",
      ]
    ),
    (
      "programs of others: contexts and their objects",
      [
        "concurrencyType", "hasChanges", "isFault", "isInserted", "isUpdated", "objectID", "persistentStoreCoordinator",
        "persistentStores", "refresh",
      ]
    ),
    (
      "programs of others: fetch requests",
      [
        "endIndex", "fetchLimit", "fetchOffset", "sortKeys", "startIndex",
      ]
    ),
    (
      "programs of others: merge policies and constraints, in errors",
      [
        "ConstraintConflict", "MergeConflict", "MergePolicy", "ValidationFailure", "conflictingObjectIDs",
        "constraint", "databaseObjectID", "errorDescription", "newVersion", "oldVersion", "reason",
      ]
    ),
    ("claim 3, change tracking", ["deletedObjects", "insertedObjects", "updatedObjects"]),
    ("claim 4, temporary IDs", ["isTemporary"]),
    ("claim 13, what a dangling reference does", ["shouldDeleteInaccessibleFaults"]),
    ("claim 16, queues", ["perform"]),
    ("claim 18, IDs across contexts", ["existingObject", "managedObjectID", "uriRepresentation"]),
    (
      "claim 22, typed and named access",
      [
        "Managed", "ManagedFetched", "ManagedToMany", "ManagedToOne", "absent", "setValue", "stored",
        "wrappedValue",
      ]
    ),
    ("claim 23, a list that changes", ["controllerWillChangeContent", "sections"]),
    ("claim 25, undo", ["canRedo", "canUndo", "redo"]),
    ("claim 28, fetched properties from several stores", ["FetchedPropertyDescription", "assign"]),
    ("claim 29, the UUID of a store", ["identifier"]),
    ("C3, the SQL can be seen", ["SQLTrace", "sql", "sqlTrace"]),
    ("the laboratory's threads on one store", ["queryGenerationToken", "refreshAllObjects"]),
  ]

  /// Returns the public names that a file declares. Operators, initializers and subscripts are as public as their
  /// types.
  private static func symbols(_ file: SourceFile) -> Set<String> {
    let declaration =
      /(?m)^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s[\w\s()]*?\b(?:func|var|let|struct|class|enum|protocol|typealias)\s+(\w+)/
    return Set(file.code.matches(of: declaration).map { String($0.output.1) })
  }

  /// Returns the public names that no other file uses.
  private static func unreached(_ files: [SourceFile], besides others: [SourceFile]) -> Set<String> {
    let used = Set(others.flatMap { $0.code.matches(of: /\w+/).map { String($0.output) } })
    return Set(files.flatMap(symbols)).subtracting(used)
  }

  @Test func `every public symbol of ObjectGraph is used elsewhere, or the list says why it is public`() {
    let files = SourceTree.read("Sources/ObjectGraph")
    let users = ["Sources", "Examples", "Lab"].flatMap(SourceTree.read).filter { $0.imports.contains("ObjectGraph") }
    #expect(files.count > 50 && users.count > 10)
    let unreached = Self.unreached(files, besides: users)
    let listed = Self.reachedBy.flatMap(\.names)
    #expect(Set(listed).count == listed.count)
    #expect(unreached.subtracting(listed).sorted() == [], "nothing uses these: make them internal, or delete them")
    // A symbol that is used or deleted needs no reason.
    #expect(Set(listed).subtracting(unreached).sorted() == [])
  }

  @Test func `a public symbol that nothing uses is found`() {
    let planted = SourceFile(
      path: "Sources/ObjectGraph/Planted.swift",
      text: """
        extension ManagedObjectContext {
          /// Neither used() nor this has a caller.
          @discardableResult
          public func planted() -> Int { used() }
          public final var used: Int { 0 }
          package var own: Int { 0 }
        }
        open class Lonely {}
        """)
    let user = SourceFile(
      path: "Sources/Backends/User.swift", text: "import ObjectGraph\nlet x = context.used // planted")
    #expect(Self.unreached([planted], besides: [user]) == ["planted", "Lonely"])
  }
}
