import Foundation
import ObjectGraph
import Testing

/// Objects that hold each other are released without using the stack up, however many they are.
@Suite struct ReleasingTests {
  @Test("11: a long chain that was walked is released without using the stack up", arguments: [20_000, 200_000])
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

    // A thread with as much stack as a queue's threads have, less than the main one has.
    final class Outcome: @unchecked Sendable {
      // Sendable because it is read after the thread has signalled.
      var found = 0
      var isReleased = false
    }
    let outcome = Outcome()
    let coordinator = stack.coordinator
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let context = ManagedObjectContext(coordinator, .confinement)
      var first: ManagedObject? = context.object(with: id)
      weak var last: ManagedObject?
      var link = first
      while let present = link {
        outcome.found += 1
        last = present
        link = try? present.object(next)
      }
      #expect(last != nil)
      first = nil
      outcome.isReleased = last == nil && first == nil
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    #expect(outcome.found == count && outcome.isReleased)
  }
}
