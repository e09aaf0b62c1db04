import ObjectGraph
import TestSupport
import Testing

/// Semantics 7, 12 and 17 together: after any changes of two contexts to the same objects, and under any merge policy,
/// the relationships of the stored graph are the same from both ends.
@Suite struct ConflictPropertyTests {
  @Test(
    "7, 12, 17: random edits in two contexts, with conflicts and merges, keep inverses symmetric",
    arguments: MergePolicy.allCases, 1...UInt64(repetitions(1)))
  func randomConflicts(_ policy: MergePolicy, _ seed: UInt64) throws {
    for type in [StoreType.sqlite, .inMemory] {
      var run = try TwoContexts(type, policy, seed: seed)
      for _ in 1...400 { try run.step() }
      #expect(run.saves > 20 && run.merges > 5)
      // With the policy to fail some saves do; with the others hardly any.
      if policy == .error { #expect(run.failures > 0) } else { #expect(run.failures < run.saves) }
    }
  }
}

private struct TwoContexts {
  private struct Side {
    let context: ManagedObjectContext
    /// Whether the context has taken over all saves of the other one.
    var isCurrent = true
  }

  private let stack: Stack
  private var sides: [Side]
  private var editor: TangleEditor
  private(set) var saves = 0
  private(set) var merges = 0
  private(set) var failures = 0

  init(_ type: StoreType, _ policy: MergePolicy, seed: UInt64) throws {
    stack = try Stack(type, model: try Tangle.model())
    sides = [Side(context: stack.context), Side(context: stack.otherContext())]
    editor = TangleEditor(seed: seed)
    for side in sides { side.context.mergePolicy = policy }
    for _ in 1...24 { try editor.insert(sides[0].context) }
    try sides[0].context.save()
  }

  mutating func step() throws {
    let index = Int.random(in: 0...1, using: &editor.random)
    let context = sides[index].context
    do {
      switch Int.random(in: 0..<100, using: &editor.random) {
      case 0..<8: try editor.insert(context)
      case 8..<78: try editor.change(context)
      case 78..<84: try editor.delete(context)
      case 84..<96: try save(index)
      default: try refresh(index)
      }
    } catch ObjectGraphError.inaccessible {
      // The other context has deleted the object, and this one has not merged that.
      #expect(!sides[index].isCurrent)
    }
  }

  private mutating func refresh(_ index: Int) throws {
    try sides[index].context.refreshAllObjects()
    sides[index].isCurrent = true
  }

  private mutating func save(_ index: Int) throws {
    let context = sides[index].context
    guard context.hasChanges else { return }
    let changes: SaveChanges?
    do {
      changes = try context.saveAnnouncedIfAny()
    } catch {
      // Changes that cannot be saved are given up.
      #expect(!sides[index].isCurrent, "\(error)")
      failures += 1
      context.rollback()
      return try refresh(index)
    }
    saves += 1
    let stored = try Graph(tangle: try stack.forgetful())
    try stored.requireSymmetry("the store")
    #expect(!context.hasChanges)
    if editor.random.chance(50) {
      try refresh(index)
      try #require(try Graph(tangle: context) == stored)
    }
    if let changes, editor.random.chance(50) {
      try sides[1 - index].context.mergeChanges(fromContextDidSave: changes)
      merges += 1
    } else if changes != nil {
      sides[1 - index].isCurrent = false
    }
    // A context that has merged everything is consistent with its own changes, too.
    for (number, side) in sides.enumerated() where side.isCurrent {
      try Graph(tangle: side.context).requireSymmetry(number == index ? "the context that saved" : "the other context")
    }
  }
}
