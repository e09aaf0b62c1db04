import ObjectGraph
import Testing
import TestSupport

/// Semantics 9 and 10 on random graphs: stores of two kinds, the engine's search in memory, and a filter written for this
/// test find the same objects in the same order.
@Suite struct PredicatePropertyTests {
  @Test("9: random predicates find the same from SQL, in memory, and by another filter", arguments: 0..<repetitions(5))
  func randomPredicates(_ seed: Int) throws {
    let found = try [StoreType.sqlite, .inMemory].map { try answers(seed, $0) }
    #expect(found[0] == found[1])
  }

  /// The results of 100 random requests by entity and key, from each kind of fetch.
  private func answers(_ seed: Int, _ type: StoreType) throws -> [[String]] {
    let stack = try Stack(type, model: try Everything.model())
    var random = SplitMix64(seed: UInt64(seed))
    try Everything.fill(stack.context, &random)
    try stack.context.save()
    let reference = try ReferenceFilter(stack.otherContext())
    let memory = stack.otherContext()
    let held = try Everything.touch(memory)
    #expect(memory.updatedObjects.count == held.count)
    var requests = RandomPredicates(stack.model, reference.all, seed: UInt64(seed + 1_000))
    var answers: [[String]] = []
    var foundSome = 0
    for round in 0..<100 {
      let entity = Everything.pick(stack.model.entities, &random)
      let request = requests.request(of: entity)
      let expected = reference.find(request)
      for (source, context) in [("the store", stack.otherContext()), ("memory", memory)] {
        let what = "seed \(seed), \(type), round \(round), from \(source): \(request.text)"
        #expect(try context.fetch(request).map(\.objectID) == expected, "\(what)")
        #expect(try context.fetchObjectIDs(request) == expected, "IDs of \(what)")
        #expect(try context.count(for: request) == expected.count, "count of \(what)")
        request.fetchBatchSize = 3
        #expect(try context.fetchInBatches(request).map(\.objectID) == expected, "batches of \(what)")
      }
      answers.append(expected.map(\.uriRepresentation.path))
      if !expected.isEmpty, expected.count < reference.all[entity.name]?.count ?? 0 { foundSome += 1 }
    }
    // Not too many predicates find all or nothing.
    #expect(foundSome > 15)
    withExtendedLifetime(held) {}
    return answers
  }

  @Test("10: with random unsaved changes a fetch finds what it finds after the save", arguments: 0..<12)
  func pendingChanges(_ seed: UInt64) throws {
    let stack = try Stack(seed.isMultiple(of: 3) ? .inMemory : .sqlite, model: try Everything.model())
    var random = SplitMix64(seed: seed)
    try Everything.fill(stack.context, &random)
    try stack.context.save()
    var changedRounds = 0
    for round in 0..<8 {
      // A new context, which has to read from the store.
      let context = stack.otherContext()
      let objects = try randomEdits(context, Int.random(in: 1...12, using: &random), &random)
      func requests() -> [FetchRequest<ManagedObject>] {
        // The same seed makes the same requests; new objects have other IDs after the save.
        let ids = objects.mapValues { $0.map(\.objectID) }
        var requests = RandomPredicates(stack.model, ids, seed: seed * 100 + UInt64(round))
        return (0..<20).map { requests.request(of: stack.model.entities[$0 % stack.model.entities.count]) }
      }
      let found = try requests().map { request in
        let found = try context.fetch(request)
        #expect(try context.fetchObjectIDs(request) == found.map(\.objectID))
        #expect(try context.count(for: request) == found.count)
        return found
      }
      if context.hasChanges { changedRounds += 1 }
      try context.save()
      for (request, found) in zip(requests(), found) {
        let saved = try stack.otherContext().fetch(request).map(\.objectID)
        #expect(found.map(\.objectID) == saved, "seed \(seed), round \(round): \(request.text)")
      }
    }
    #expect(changedRounds > 5)
  }

  /// Makes, changes, links and deletes objects, and returns all of them by entity, with those deleted.
  private func randomEdits(
    _ context: ManagedObjectContext, _ count: Int, _ random: inout SplitMix64
  ) throws -> [String: [ManagedObject]] {
    let entities = context.persistentStoreCoordinator.managedObjectModel.entities
    var objects: [String: [ManagedObject]] = [:]
    for entity in entities { objects[entity.name] = try context.fetch(FetchRequest<ManagedObject>(entity.name)) }
    for _ in 0..<count {
      let living = objects.mapValues { $0.filter { !$0.isDeleted } }
      let entity = Everything.pick(entities, &random)
      guard let object = living[entity.name]?.randomElement(using: &random), !random.chance(25) else {
        let new = try context.insert(entity.name)
        try Everything.change(attributesOf: new, &random)
        for relationship in entity.relationships {
          try Everything.change(relationship, of: new, among: living, &random)
        }
        objects[entity.name, default: []].append(new)
        continue
      }
      if random.chance(25) {
        try context.delete(object)
        // A cascade may take others.
        try context.processPendingChanges()
      } else if random.chance(50) {
        try Everything.change(attributesOf: object, &random)
      } else {
        try Everything.change(Everything.pick(entity.relationships, &random), of: object, among: living, &random)
      }
    }
    return objects
  }
}

extension FetchRequest {
  /// All of it, for the message of a failure.
  fileprivate var text: String {
    let predicate = predicate.map { "\($0)" } ?? "all"
    return "\(entityName ?? ""): \(predicate) \(variables) by \(sortKeys), \(fetchLimit) from \(fetchOffset)"
  }
}
