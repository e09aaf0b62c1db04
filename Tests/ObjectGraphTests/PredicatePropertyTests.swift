import Foundation
import ObjectGraph
import Testing

/// Semantic 9 on random graphs: a store, the engine's own look at objects, and a filter written for this test find the
/// same objects in the same order.
@Suite struct PredicatePropertyTests {
  @Test("9: random predicates find the same from SQL, in memory, and by another filter", arguments: 0..<20)
  func randomPredicates(_ graph: Int) throws {
    let stack = try Stack(model: try Everything.model())
    var random = SplitMix64(seed: UInt64(graph))
    try Everything.fill(stack.context, &random)
    try stack.context.save()
    let reference = try ReferenceFilter(stack.otherContext())
    let memory = stack.otherContext()
    let held = try touchEverything(memory)
    var predicates = RandomPredicates(stack.model, reference.all, seed: UInt64(graph + 1_000))
    var foundSome = 0
    for round in 0..<150 {
      let entity = Everything.pick(stack.model.entities, &random)
      let predicate = predicates.predicate(of: entity)
      let order = predicates.order(of: entity)
      let window = predicates.window()
      let expected = reference.find(entity.name, predicate, order, window, predicates.variables)
      let request = FetchRequest<ManagedObject>(
        entity.name, where: predicate, sortedBy: order, limit: window.limit, offset: window.offset)
      request.variables = predicates.variables
      for (source, context) in [("SQL", stack.otherContext()), ("memory", memory)] {
        let what = "graph \(graph), round \(round), from \(source): \(predicate) \(order) \(window)"
        #expect(try context.fetch(request).map(\.objectID) == expected, "\(what)")
        #expect(try context.fetchObjectIDs(request) == expected, "IDs of \(what)")
        #expect(try context.count(for: request) == expected.count, "count of \(what)")
      }
      if !expected.isEmpty, expected.count < reference.all[entity.name]?.count ?? 0 { foundSome += 1 }
    }
    // The test would be worth nothing if most predicates found all or nothing.
    #expect(foundSome > 40)
    withExtendedLifetime(held) {}
  }

  /// Makes a context look at every object itself, by setting a value of each to what it is.
  private func touchEverything(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    var objects: [ManagedObject] = []
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
      let attribute = entity.attributes[0]
      for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
        try object.set(attribute, to: try object.value(of: attribute))
        objects.append(object)
      }
    }
    #expect(context.updatedObjects.count == objects.count)
    return objects
  }

  @Test("9: a random predicate's description is read as the same predicate", arguments: 0..<10)
  func roundTrip(_ seed: UInt64) throws {
    let model = try Everything.model()
    // Objects have no place in the language: SELF and relationships are compared with other paths and null only.
    var predicates = RandomPredicates(model, [:], seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let predicate = predicates.predicate(of: Everything.pick(model.entities, &random))
      let again = try FetchPredicate(format: predicate.description)
      #expect(Array(again.description.utf8) == Array(predicate.description.utf8))
      #expect(again == predicate)
    }
  }
}
