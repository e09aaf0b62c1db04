import ObjectGraph
import Testing

/// Objects that hold each other are released without using the stack up, however many they are.
@Suite struct ReleasingTests {
  @Test("11: a long chain that was walked is released without using the stack up")
  func chain() throws {
    let count = 20_000
    let model = try ManagedObjectModel([
      EntityDescription(
        "Link", attributes: [AttributeDescription("number", .integer64)],
        relationships: [RelationshipDescription("next", to: "Link", deleteRule: .noAction)])
    ])
    let stack = try Stack(.inMemory, model: model)
    let entity = try model.entity("Link")
    let next = try entity.relationship("next")
    var links = (0..<count).map { _ in stack.context.insert(entity) }
    for (link, other) in zip(links, links.dropFirst()) { try link.set(next, to: other) }
    try stack.context.save()
    let id = links[0].objectID
    links = []

    // A thread with the stack of a queue's thread, which is smaller than that of the main one.
    let finish = startThread(stackSize: 512 * 1024) { [coordinator = stack.coordinator] in
      let context = ManagedObjectContext(coordinator, .confinement)
      var found = 0
      var first: ManagedObject? = context.object(with: id)
      weak var last: ManagedObject?
      var link = first
      while let present = link {
        found += 1
        last = present
        link = try present.object(next)
      }
      #expect(last != nil)
      first = nil
      return (found: found, isReleased: last == nil && first == nil)
    }
    let walk = try finish()
    #expect(walk.found == count && walk.isReleased)
  }
}
