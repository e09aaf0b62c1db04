import Foundation
import ObjectGraph
import Synchronization
import Testing

/// Objects that hold each other are released without using the stack up, however many they are.
@Suite struct ReleasingTests {
  @Test("11: a long chain that was walked is released without using the stack up", arguments: [20_000])
  func chain(_ count: Int) throws {
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
    let outcome = Mutex((found: 0, isReleased: false))
    let coordinator = stack.coordinator
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let context = ManagedObjectContext(coordinator, .confinement)
      var first: ManagedObject? = context.object(with: id)
      weak var last: ManagedObject?
      var link = first
      while let present = link {
        outcome.withLock { $0.found += 1 }
        last = present
        link = try? present.object(next)
      }
      #expect(last != nil)
      first = nil
      let isReleased = last == nil && first == nil
      outcome.withLock { $0.isReleased = isReleased }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    #expect(outcome.withLock { $0.found == count && $0.isReleased })
  }
}
