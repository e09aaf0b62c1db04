import ObjectGraph
import Testing

/// Semantic 15 for the state after a save: values may move between objects, if no two objects have the same value then.
/// ``RandomProgramTests`` has shifts under every policy.
@Suite struct FinalStateTests {
  @Test("15: a long cycle of both constraints in one save", arguments: Stack.types)
  func cycles(_ type: StoreType) throws {
    let count = 2_000
    let stack = try Stack(type, model: try Parts.model())
    let parts = try (1...count).map { try stack.context.part($0, "p\($0)", code: "c\($0)") }
    try stack.context.save()
    for (index, part) in parts.enumerated() {
      try part.set(["number": (index + 1) % count + 1, "code": "c\((index + count - 1) % count + 1)"])
    }
    try stack.context.save()
    let context = try stack.forgetful()
    let stored = try context.fetch(FetchRequest<ManagedObject>("Part"))
    #expect(
      try stored.map { try $0.value(forKey: "number") as? Int64 } == (0..<count).map { Int64(($0 + 1) % count + 1) })
    #expect(
      try stored.map { try $0.value(forKey: "code") as? String }
        == (0..<count).map { "c\(($0 + count - 1) % count + 1)" })
    // Each was written once, as far as the next save can tell.
    try stored[0].setValue("again", forKey: "name")
    try context.save()
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
    let seats = try guests.map { try context.insert("Seat", ["row": 1, "guest": $0]) }
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
}
