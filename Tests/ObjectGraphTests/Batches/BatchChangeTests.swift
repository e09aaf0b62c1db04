import TestSupport
import Testing

@testable import ObjectGraph

/// Semantic 31: objects deleted past the contexts. Facts 18, 19.
@Suite struct BatchChangeTests {
  @Test("31: without relationships, a deletion is one statement; limits and order hold", arguments: Stack.types)
  func delete(_ type: StoreType) throws {
    let stack = try Stack(type, model: AppLogs.model())
    func fill() throws {
      try stack.context.execute(
        BatchInsertRequest(
          "AppLog",
          objects: (0..<100).map { ["appLogID": "log \($0)", "userID": "u\($0 % 7)", "accuracy": Double($0)] }))
    }
    func left() throws -> [Double] {
      try stack.forgetful().fetch(FetchRequest<AppLog>(sortedBy: [SortKey("accuracy")])).compactMap(\.accuracy)
    }
    func delete(_ fetch: FetchRequest<AppLog>) throws -> Int { try stack.context.execute(BatchDeleteRequest(fetch)) }
    try fill()
    stack.clearStatements()
    #expect(try delete(FetchRequest(where: Property("accuracy") >= 50 || Property("userID") == "u3")) == 57)
    if type == .sqlite {
      #expect(stack.statements.count { $0.hasPrefix("DELETE FROM ZAPPLOG") } == 1 && stack.statements.count == 3)
    }
    #expect(try left() == (0..<50).filter { $0 % 7 != 3 }.map(Double.init))
    let request = FetchRequest<AppLog>(sortedBy: [SortKey("accuracy", ascending: false)], limit: 3, offset: 1)
    #expect(try delete(request) == 3)
    #expect(try left().suffix(3) == [43, 44, 49])
    #expect(try delete(FetchRequest(where: Property("accuracy") < 3)) == 3)
    #expect(try left().first == 4)
    #expect(try delete(FetchRequest()) == 37)
    #expect(try left().isEmpty && delete(FetchRequest()) == 0)
    // Keys are never used again.
    #expect(try stack.store.dump(stack.model) == ["AppLog next 101"])
  }

  @Test(
    "31: a deletion does to others what a context's does: rows, pairs and versions", arguments: Stack.types,
    0..<repetitions(4))
  func rules(_ type: StoreType, seed: Int) throws {
    let models = [try Everything.model(), try Tangle.model()]
    let model = models[seed % 2]
    let stacks = try (0..<2).map { _ in try Stack(type, model: model) }
    for stack in stacks {
      var random = SplitMix64(seed: UInt64(seed))
      if seed % 2 == 0 {
        try Everything.fill(stack.context, &random)
      } else {
        var editor = TangleEditor(seed: UInt64(seed))
        for _ in 0..<60 { try editor.insert(stack.context) }
        for _ in 0..<200 { try editor.change(stack.context) }
      }
      try stack.context.save()
      stack.context.reset()
    }
    #expect(try stacks[0].store.dump(model) == stacks[1].store.dump(model))
    var random = SplitMix64(seed: UInt64(seed) + 100)
    var deleted = 0
    for round in 0..<4 {
      let entity = model.entities[Int.random(in: 0..<model.entities.count, using: &random)]
      let all = try stacks[0].context.fetchObjectIDs(FetchRequest<ManagedObject>(entity.name))
      let chosen = all.filter { _ in random.chance(30) }.map(\.key)
      deleted += chosen.count
      func ids(_ stack: Stack) -> [ManagedObjectID] {
        let entity = stack.model.entities[entity.number - 1]
        return chosen.map { ManagedObjectID(entity: entity, origin: stack.store.origin, key: $0) }
      }
      // One after the other.
      let context = stacks[0].context
      for id in ids(stacks[0]) { if let object = try context.existingObject(with: id) { try context.delete(object) } }
      try context.save()
      let request = FetchRequest<ManagedObject>(entity.name, where: Property.object.isIn(ids(stacks[1])))
      #expect(try stacks[1].context.execute(BatchDeleteRequest(request)) == chosen.count)
      let (left, right) = (try stacks[1].store.dump(model), try stacks[0].store.dump(model))
      #expect(left == right, "seed \(seed), round \(round), \(entity.name): \(left.difference(from: right))")
    }
    #expect(deleted > 0)
  }

  @Test(
    "31: a rule that denies, and a relationship that must not be empty, make a deletion fail", arguments: Stack.types)
  func denied(_ type: StoreType) throws {
    let stack = try Stack(type)
    _ = try stack.context.student("S1", in: stack.context.schoolClass(1))
    try stack.context.save()
    let before = try stack.store.dump(stack.model)
    let error = #expect(throws: ObjectGraphError.self) {
      try stack.context.execute(BatchDeleteRequest(FetchRequest<SchoolClass>()))
    }
    #expect(error?.failures?.map(\.key) == ["class_students"])
    #expect(try stack.store.dump(stack.model) == before)
    // Without students it can go; the class's version has counted up with the student.
    try stack.context.execute(BatchDeleteRequest(FetchRequest<Student>()))
    try stack.context.execute(BatchDeleteRequest(FetchRequest<SchoolClass>()))
    #expect(try stack.store.dump(stack.model).allSatisfy { $0.contains(" next ") })

    let strict = try Stack(
      type,
      model: ManagedObjectModel([
        EntityDescription(
          "Owner", attributes: [],
          relationships: [RelationshipDescription("pets", toMany: "Pet", inverse: "owner")]),
        EntityDescription(
          "Pet", attributes: [],
          relationships: [RelationshipDescription("owner", to: "Owner", inverse: "pets", optional: false)]),
      ]))
    let (owner, pet) = (try strict.context.insert("Owner"), try strict.context.insert("Pet"))
    try pet.setValue(owner, forKey: "owner")
    try strict.context.save()
    let failure = #expect(throws: ObjectGraphError.self) {
      try strict.context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Owner")))
    }
    #expect(failure?.failures?.map(\.key) == ["owner"])
    #expect(try strict.forgetful().count(for: FetchRequest<ManagedObject>("Owner")) == 1)
  }

  @Test("31: of several stores an insertion is about the first, a deletion about all", arguments: Stack.types)
  func stores(_ type: StoreType) throws {
    let stack = try Stack(type, model: AppLogs.model())
    func fill(_ user: String) throws {
      let rows = (0..<10).map {
        ["appLogID": "\($0)", "userID": user, "accuracy": 0.0] as [String: (any ManagedValue)?]
      }
      #expect(try stack.context.execute(BatchInsertRequest("AppLog", objects: rows)) == 10)
    }
    try fill("u1")
    let second = try stack.coordinator.addPersistentStore(
      type, at: type == .inMemory ? nil : stack.directory.appendingPathComponent("second.db"))
    try fill("u2")
    #expect(try second.dump(stack.model) == ["AppLog next 1"])
    let log = try AppLog.findOrCreate("x", of: "u3", in: stack.context)
    stack.context.assign(log, to: second)
    try stack.context.save()
    #expect(try stack.context.execute(BatchDeleteRequest(FetchRequest<AppLog>())) == 21)
    #expect(try stack.otherContext().count(for: FetchRequest<AppLog>()) == 0)
    try stack.coordinator.remove(second)
    try stack.coordinator.remove(stack.store)
    #expect(throws: ObjectGraphError.self) { try stack.context.execute(BatchInsertRequest("AppLog", objects: [])) }
  }
}
