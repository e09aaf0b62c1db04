import ObjectGraph
import Testing

/// Semantic 15 for the state after a save: values may move between objects, if no two objects have the same value then.
@Suite struct FinalStateTests {
  /// Parts numbered from 1.
  private struct Shelf {
    let stack: Stack
    let parts: [ManagedObject]
    var context: ManagedObjectContext { stack.context }

    init(_ type: StoreType, _ count: Int, _ policy: MergePolicy = .error) throws {
      stack = try Stack(type, model: try Parts.model())
      parts = try (1...count).map { [context = stack.context] in try context.part($0, "p\($0)", code: "c\($0)") }
      try stack.context.save()
      stack.context.mergePolicy = policy
    }

    func renumber(_ numbers: [Int?]) throws {
      for (part, number) in zip(parts, numbers) { try part.setValue(number, forKey: "number") }
    }

    /// The numbers of the parts in the store, in the order in which they were made.
    func stored() throws -> [Int64?] {
      let context = try stack.forgetful()
      return try context.fetch(FetchRequest<ManagedObject>("Part")).map { try $0.value(forKey: "number") as? Int64 }
    }
  }

  @Test("15: shifts, swaps and cycles are saved under every policy", arguments: Stack.types, MergePolicy.allCases)
  func permutations(_ type: StoreType, _ policy: MergePolicy) throws {
    let shelf = try Shelf(type, 6, policy)
    let log = SavedChanges(shelf.context)
    let orders: [[Int?]] = [
      [2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], [1, 4, 3, 6, 5, 2], [3, 1, 2, 5, 6, 4],
      [nil, 3, nil, 1, 2, 5], [1, nil, 3, nil, 5, 2],
    ]
    for order in orders {
      try shelf.renumber(order)
      try shelf.context.save()
      #expect(try shelf.stored() == order.map { $0.map(Int64.init) })
      #expect(!shelf.context.hasChanges)
    }
    #expect(log.all.count == orders.count)
  }

  @Test("15: a long cycle, both constraints at once, in one save", arguments: Stack.types)
  func longCycle(_ type: StoreType) throws {
    let count = 2_000
    let shelf = try Shelf(type, count)
    for (index, part) in shelf.parts.enumerated() {
      try part.setValue((index + 1) % count + 1, forKey: "number")
      try part.setValue("c\((index + count - 1) % count + 1)", forKey: "code")
    }
    try shelf.context.save()
    #expect(try shelf.stored() == (0..<count).map { Int64(($0 + 1) % count + 1) })
    let context = try shelf.stack.forgetful()
    let codes = try context.fetch(FetchRequest<ManagedObject>("Part")).map { try $0.value(forKey: "code") as? String }
    #expect(codes == (0..<count).map { "c\(($0 + count - 1) % count + 1)" })
    // Each was written once, as far as the next save can tell.
    let other = try shelf.stack.forgetful()
    let part = try #require(try other.fetch(FetchRequest<ManagedObject>("Part", limit: 1)).first)
    try part.setValue("again", forKey: "name")
    try other.save()
  }

  @Test("15: a swap of relationships that must be unique", arguments: Stack.types)
  func relationships(_ type: StoreType) throws {
    let model = try ManagedObjectModel([
      EntityDescription(
        "Seat", attributes: [AttributeDescription("row", .integer64)],
        relationships: [RelationshipDescription("guest", to: "Guest", inverse: "seats")],
        uniquenessConstraints: [["guest", "row"]]),
      EntityDescription("Guest", relationships: [RelationshipDescription("seats", toMany: "Seat", inverse: "guest")]),
    ])
    let stack = try Stack(type, model: model)
    let context = stack.context
    let guests = try (0..<2).map { _ in try context.insert("Guest") }
    let seats = try guests.map { guest in
      let seat = try context.insert("Seat")
      try seat.setValue(1, forKey: "row")
      try seat.setValue(guest, forKey: "guest")
      return seat
    }
    try context.save()
    try seats[0].setValue(guests[1], forKey: "guest")
    try seats[1].setValue(guests[0], forKey: "guest")
    try context.save()
    let other = try stack.forgetful()
    let stored = try other.fetch(FetchRequest<ManagedObject>("Seat"))
    #expect(
      try stored.map { (try $0.value(forKey: "guest") as? ManagedObject)?.objectID }
        == guests.reversed().map(\.objectID))
  }

  @Test("15: a save drops the changes that its policy gives up, and no others", arguments: Stack.types)
  func dropped(_ type: StoreType) throws {
    for policy in [MergePolicy.mergeByPropertyStoreTrump, .rollback] {
      // The second wants what the third has, and the first what the second would have given up.
      let shelf = try Shelf(type, 4, policy)
      let log = SavedChanges(shelf.context)
      try shelf.renumber([2, 3])
      for part in shelf.parts { try part.setValue("renamed", forKey: "name") }
      let new = try shelf.context.part(4, "new")
      try shelf.parts[2].setValue("p3", forKey: "name")
      try shelf.context.save()
      #expect(try shelf.stored() == [1, 2, 3, 4])
      let names = try shelf.parts.map { try $0.value(forKey: "name") as? String }
      let kept = policy == .rollback ? ["p1", "p2"] : ["renamed", "renamed"]
      #expect(names == kept + ["p3", "renamed"])
      #expect(log.all.count == 1 && new.managedObjectContext == nil && !shelf.context.hasChanges)
    }
  }

  @Test(
    "15: two that are changed to one value give it up where the store wins, which is announced", arguments: Stack.types)
  func bothGiveUp(_ type: StoreType) throws {
    for policy in [MergePolicy.mergeByPropertyStoreTrump, .rollback] {
      let shelf = try Shelf(type, 2, policy)
      let log = SavedChanges(shelf.context)
      try shelf.renumber([9, 9])
      try shelf.context.save()
      #expect(try shelf.stored() == [1, 2] && !shelf.context.hasChanges)
      // The save is announced, although nothing was written.
      #expect(log.all.map(\.updated) == [[]])
    }
  }
}
