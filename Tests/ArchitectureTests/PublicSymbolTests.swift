import Testing

/// A backend, an example or Lab uses each public symbol of ObjectGraph, or the list below has it.
@Suite struct PublicSymbolTests {
  /// The symbols that no program of this repository uses: the types of public properties and arguments, what a protocol
  /// asks for, and what programs of others need. docs/reference/statements.md has the claims.
  private static let listed: Set = [
    "absent", "assign", "AttributeType", "BatchedObjects", "canRedo", "canUndo", "ComparisonModifier",
    "ComparisonOperator", "ComparisonPredicate", "ConcurrencyType", "concurrencyType", "conflictingObjectIDs",
    "constraint", "ConstraintConflict", "controllerWillChangeContent", "databaseObjectID", "deletedObjects",
    "endIndex", "entityName", "errorDescription", "existingObject", "fetchedProperties", "FetchedPropertyDescription",
    "fetchLimit", "fetchOffset", "Function", "hasChanges", "hash", "identifier", "insertedObjects", "isFault",
    "isInserted", "isNull", "isOptional", "isTemporary", "isUpdated", "Keys", "length", "Managed", "ManagedFetched",
    "ManagedObjectID", "managedObjectID", "managedObjectModel", "ManagedToMany", "ManagedToOne", "MergeConflict",
    "MergePolicy", "modifier", "newVersion", "objectClass", "objectID", "oldVersion", "Operand", "operand", "Origin",
    "pattern", "perform", "persistentStoreCoordinator", "persistentStores", "QueryGenerationToken",
    "queryGenerationToken", "reason", "redo", "refresh", "refreshAllObjects", "sections", "setValue",
    "shouldDeleteInaccessibleFaults", "sortKeys", "sql", "SQLTrace", "sqlTrace", "startIndex", "stored",
    "Synchronous", "updatedObjects", "uriRepresentation", "ValidationFailure", "wrappedValue",
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

  @Test func `every public symbol of ObjectGraph is used elsewhere, or listed`() {
    let files = SourceTree.read("Sources/ObjectGraph")
    let users = ["Sources", "Examples", "Lab"].flatMap(SourceTree.read).filter { $0.imports.contains("ObjectGraph") }
    #expect(files.count > 50 && users.count > 10)
    let unreached = Self.unreached(files, besides: users)
    #expect(unreached.subtracting(Self.listed).sorted() == [], "nothing uses these: make them internal, or delete them")
    // A symbol that is used or deleted is not listed.
    #expect(Self.listed.subtracting(unreached).sorted() == [])
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
