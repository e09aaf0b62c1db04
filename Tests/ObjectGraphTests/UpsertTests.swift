import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 15 for many objects: duplicates are found in one pass and settled by the merge policy.
/// ``RandomProgramTests`` has fewer of them under every policy.
@Suite struct UpsertTests {
  @Test(
    "15: the error policy lists all conflicts: those in one context as one, the store's row as another (fact 24)",
    arguments: Stack.types)
  func allConflicts(_ type: StoreType) throws {
    let stack = try Stack(type, model: try Parts.model())
    let old = try (1...3).map { try stack.context.part($0, "old") }
    try stack.context.save()
    let context = stack.context
    let new = try (1...3).map { try context.part($0, "new") }
    let twins = try (1...150).map { _ in try context.part(7, "twin") }
    let both = try (1...2).map { _ in try context.part(2, "again") }
    let before = try context.state()
    for _ in 1...2 {
      let error = #expect(throws: ObjectGraphError.self) { try context.save() }
      let conflicts = try #require(error?.constraintConflicts)
      let expected: [([ManagedObject], ManagedObject?)] = [
        ([new[0]], old[0]), ([new[1]] + both, nil), ([new[1]], old[1]), ([new[2]], old[2]), (twins, nil),
      ]
      #expect(conflicts.map(\.conflictingObjectIDs) == expected.map { $0.0.map(\.objectID) }, "\(type)")
      #expect(conflicts.map(\.databaseObjectID) == expected.map { $0.1?.objectID }, "\(type)")
      #expect(zip(conflicts, [1, 2, 2, 3, 7]).allSatisfy { $0.description.contains("(\($1))") }, "\(type)")
      #expect(conflicts.allSatisfy { $0.constraint == ["number"] && $0.entity == "Part" })
      #expect(try context.state() == before)
      #expect(try stack.forgetful().count(for: FetchRequest<ManagedObject>("Part")) == 3)
    }
  }

  @Test(
    "15: a save that fails after its policy has settled conflicts leaves all as it was", arguments: Stack.types,
    [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func failedLater(_ type: StoreType, _ policy: MergePolicy) throws {
    let stack = try Stack(type, model: try Parts.model())
    let context = stack.context
    let box = try context.insert("Box")
    let parts = try (1...12).map { (number: Int) in try context.part(number, "old", code: "c\(number)", in: box) }
    try context.save()
    let other = stack.otherContext()
    try #require(try other.existingObject(with: parts[8].objectID)).setValue("theirs", forKey: "name")
    try other.delete(try #require(try other.existingObject(with: parts[9].objectID)))
    try other.save()
    context.undoManager = UndoManager()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<ManagedObject>("Part", sortedBy: [SortKey("name"), SortKey("number")]),
      managedObjectContext: context)
    try controller.performFetch()
    // Versions, duplicates with the store and here, a deletion, relationships, and a conflict that no policy settles.
    for part in parts[8...9] { try part.setValue("ours", forKey: "name") }
    try context.delete(parts[11])
    let new = try (1...6).map { (number: Int) in try context.part(number, "new", code: "c\(number)", in: box) }
    let crate = try context.insert("Box")
    for part in new.prefix(3) { try part.setValue(crate, forKey: "box") }
    for _ in 1...3 { try context.part(40, "twin") }
    for part in parts[6...7] { try part.setValue(99, forKey: "number") }
    // A save does this first, and it is no part of what can fail.
    try context.processPendingChanges()
    let before = try context.state()
    let shown = controller.fetchedObjects?.map(\.objectID)
    context.mergePolicy = policy
    for _ in 1...2 {
      let error = #expect(throws: ObjectGraphError.self) { try context.save() }
      #expect(error?.constraintConflicts?.count == 1)
      let after = try context.state()
      #expect(after == before, "\(type) \(policy): \(after.difference(from: before))")
      #expect(controller.fetchedObjects?.map(\.objectID) == shown)
      #expect(new.allSatisfy { $0.isInserted && $0.objectID.isTemporary && $0.managedObjectContext === context })
    }
    try parts[6].setValue(98, forKey: "number")
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test("15: 10,000 inserts with 9,999 present take no more than some times those with none", arguments: Stack.types)
  func cost(_ type: StoreType) throws {
    func insert(present: Int) throws {
      let stack = try Stack(type, model: try Parts.model())
      for number in 0..<present { try stack.context.part(number, "old") }
      try stack.context.save()
      stack.context.reset()
      let context = stack.otherContext()
      context.mergePolicy = .mergeByPropertyObjectTrump
      for number in 0..<10_000 { try context.part(number, "new") }
      try context.save()
      let new = FetchRequest<ManagedObject>("Part", where: Property("name") == "new")
      #expect(try stack.forgetful().count(for: new) == 10_000)
    }
    // A debug build; with one conflict found in each attempt it took more than a hundred times as long.
    #expect(try WorkGrowth.ratio(enough: 20, of: { try insert(present: 0) }, to: { try insert(present: 9_999) }) < 20)
  }
}

enum Parts {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDescription(
        "Part",
        attributes: [
          AttributeDescription("number", .integer64), AttributeDescription("code", .string),
          AttributeDescription("name", .string),
        ],
        relationships: [RelationshipDescription("box", to: "Box", inverse: "parts")],
        uniquenessConstraints: [["number"], ["code"]]),
      EntityDescription("Box", relationships: [RelationshipDescription("parts", toMany: "Part", inverse: "box")]),
    ])
  }
}

extension ManagedObjectContext {
  @discardableResult
  func part(_ number: Int?, _ name: String, code: String? = nil, in box: ManagedObject? = nil) throws -> ManagedObject {
    try insert("Part", ["number": number, "name": name, "code": code, "box": box])
  }
}

/// The announced saves of a context.
final class SavedChanges: @unchecked Sendable {
  // Sendable because notifications come on the thread of the save, which is the test's.
  private(set) var all: [SaveChanges] = []
  private var token: (any NSObjectProtocol)?

  /// Begins to listen, and hands each save to the block as well.
  init(_ context: ManagedObjectContext, _ body: @escaping @Sendable (SaveChanges) -> Void = { _ in }) {
    token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: context, queue: nil
    ) { [weak self] in
      guard let changes = SaveChanges($0) else { return }
      self?.all.append(changes)
      body(changes)
    }
  }

  deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}
