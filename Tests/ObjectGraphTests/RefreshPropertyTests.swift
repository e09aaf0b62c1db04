import ObjectGraph
import Testing
import TestSupport

/// Semantic 11 as a property: a refresh that keeps changes does not change a graph, and one that gives them up leaves
/// relationships the same from both ends.
@Suite struct RefreshPropertyTests {
  @Test("11: random edits, deletions, undo and refreshes, of objects that are deleted, too", arguments: Stack.types)
  func random(_ type: StoreType) throws {
    for seed in 1...UInt64(type == .sqlite || type == .inMemory ? 40 : 8) {
      var session = try Session(type, seed: seed)
      for _ in 1...40 { try session.step() }
    }
  }

  private struct Session {
    private let stack: Stack
    private let context: ManagedObjectContext
    private let seed: UInt64
    private var editor: TangleEditor
    /// The first objects, so that they stay registered.
    private var held: [ManagedObject] = []

    init(_ type: StoreType, seed: UInt64) throws {
      stack = try Stack(type, model: try Tangle.model())
      context = stack.context
      self.seed = seed
      editor = TangleEditor(seed: seed)
      for _ in 1...16 { try editor.insert(context) }
      for _ in 1...20 { try editor.change(context) }
      try context.save()
      for entity in Tangle.entities { held += try Tangle.objects(entity, context) }
      if seed % 3 == 0 { context.undoManager = UndoManager() }
    }

    mutating func step() throws {
      switch Int.random(in: 0..<100, using: &editor.random) {
      case 0..<50: try editor.change(context)
      case 50..<55: try editor.insert(context)
      case 55..<60: if let object = anyObject(), !object.isDeleted { try context.delete(object) }
      case 60..<75:
        guard let object = anyObject() else { return }
        try unchanged("merged \(object.objectID)") { try context.refresh(object, mergeChanges: true) }
      case 75..<85:
        guard let object = anyObject() else { return }
        try context.refresh(object, mergeChanges: false)
        try Graph(tangle: context).requireSymmetry("seed \(seed), discarded \(object.objectID)")
      case 85..<90: try unchanged("all") { try context.refreshAllObjects() }
      case 90..<94:
        try context.undo()
        try Graph(tangle: context).requireSymmetry("seed \(seed), undone")
      default:
        try unchanged("saved") { try context.save() }
        try #require(try Graph(tangle: context) == Graph(tangle: stack.forgetful()), "seed \(seed): stored")
      }
    }

    private mutating func anyObject() -> ManagedObject? {
      context.registeredObjects.union(context.deletedObjects).filter { $0.managedObjectContext != nil }
        .sorted { $0.objectID.uriRepresentation.path < $1.objectID.uriRepresentation.path }
        .randomElement(using: &editor.random)
    }

    private func unchanged(_ what: String, _ body: () throws -> Void) throws {
      let before = try Graph(tangle: context).objects
      try body()
      let after = try Graph(tangle: context).objects
      let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
      try #require(differing.isEmpty, "seed \(seed), \(what): \(differing) differ")
    }
  }
}
