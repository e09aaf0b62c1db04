import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Semantic 31: objects updated and deleted past the contexts. Facts 18, 19.
@Suite struct BatchChangeTests {
  @Test("31: an update sets attributes and counts versions; what contexts have in memory stays", arguments: Stack.types)
  func update(_ type: StoreType) throws {
    let stacks = try (0..<2).map { _ in try Stack(type) }
    for stack in stacks { try Crowd.fill(stack.context) }
    let isMeant = Property("studentId") >= "S1100" && Property("studentId") < "S1200"
    for student in try stacks[0].context.fetch(FetchRequest<Student>(where: isMeant)) {
      (student.studentPwd, student.studentDes) = ("secret", nil)
    }
    try stacks[0].context.save()
    let stack = stacks[1]
    let seen = try stack.context.fetch(FetchRequest<Student>(where: isMeant))
    var request = BatchUpdateRequest("Students", where: isMeant)
    request.propertiesToUpdate = ["studentPwd": "secret", "studentDes": nil]
    request.resultType = .objectIDs
    stack.clearStatements()
    let result = try stack.context.execute(request)
    if type == .sqlite { #expect(stack.statements.count { $0.contains("UPDATE ZSTUDENTS") } == 1) }
    #expect(result.count == 100 && result.objectIDs == seen.map(\.objectID))
    #expect(try StoreDump(stack.store, stack.model) == StoreDump(stacks[0].store, stacks[0].model))
    #expect(seen.allSatisfy { $0.studentPwd == nil && $0.studentDes != nil } && !stack.context.hasChanges)
    try ManagedObjectContext.mergeChanges(fromRemoteContextSave: #require(result.changes), into: [stack.context])
    #expect(seen.allSatisfy { $0.studentPwd == "secret" && $0.studentDes == nil })
    // By a path, with a variable, in all of them.
    request = BatchUpdateRequest(
      "Students", where: Property("student_class.classId").compare(.equal, .variable("class")))
    request.variables = ["class": .value(5)]
    request.propertiesToUpdate = ["studentName": ""]
    request.resultType = .count
    #expect(try stack.context.execute(request).count == 0)
    request = BatchUpdateRequest("Students")
    request.propertiesToUpdate = ["studentName": nil]
    request.resultType = .count
    // Nothing is validated.
    #expect(try stack.context.execute(request).count == 300)
    #expect(
      try stack.forgetful().count(for: FetchRequest<Student>(where: Property("studentName") == Value.null)) == 300)
  }

  @Test("31: an update that cannot be is refused by name, and nothing is written", arguments: Stack.types)
  func refusedUpdates(_ type: StoreType) throws {
    let stack = try Stack(type, model: AppLogs.model())
    for number in 1...4 { _ = try AppLog.findOrCreate("log \(number)", of: "u1", in: stack.context) }
    try stack.context.save()
    let before = try StoreDump(stack.store, stack.model)
    func fails(_ values: [String: (any ManagedValue)?], _ text: String) throws {
      var request = BatchUpdateRequest("AppLog", where: Property("appLogID") >= "log 3")
      request.propertiesToUpdate = values
      let error = #expect(throws: ObjectGraphError.self) { try stack.context.execute(request) }
      #expect(try #require(error).description.contains(text), "\(error?.description ?? "-")")
      #expect(try StoreDump(stack.store, stack.model) == before)
    }
    try fails([:], "sets nothing")
    try fails(["accuracy": "much"], "AppLog.accuracy takes double")
    try fails(["accuray": 1.0], "no property 'accuray'")
    try fails(["appLogID": "log 1", "accuracy": 2.0], "AppLog (userID, appLogID) must be unique")
    try fails(["appLogID": "log 3"], "AppLog (userID, appLogID) must be unique")
    let students = try Stack(type)
    var request = BatchUpdateRequest("Students")
    request.propertiesToUpdate = ["student_class": 1]
    let error = #expect(throws: ObjectGraphError.self) { try students.context.execute(request) }
    #expect(try #require(error).description.contains("Students.student_class is a relationship"))
  }

  @Test("31: without relationships, a deletion is one statement; limits, order and IDs hold", arguments: Stack.types)
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
    func delete(_ fetch: FetchRequest<AppLog>) throws -> Int? {
      var request = BatchDeleteRequest(fetch)
      request.resultType = .count
      return try stack.context.execute(request).count
    }
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
    var byID = BatchDeleteRequest(
      objectIDs: try stack.context.fetchObjectIDs(FetchRequest<AppLog>(where: Property("accuracy") < 3)))
    byID.resultType = .objectIDs
    let result = try stack.context.execute(byID)
    #expect(result.count == 3 && result.changes?.deleted.count == 3)
    // Those are gone by now.
    #expect(try stack.context.execute(byID).count == 0)
    #expect(try left().first == 4)
    #expect(try delete(FetchRequest()) == 37)
    #expect(try left().isEmpty && delete(FetchRequest()) == 0)
    // Keys are never used again.
    #expect(try StoreDump(stack.store, stack.model).lines == ["AppLog next 101"])
  }

  @Test("31: a deletion does to others what a context's does: rows, pairs and versions", arguments: Stack.types, 0..<12)
  func rules(_ type: StoreType, seed: Int) throws {
    let models = [try Everything.model(), try Tangle.model()]
    let model = models[seed % 2]
    let stacks = try (0..<2).map { _ in try Stack(type, model: model) }
    for stack in stacks {
      var random = SplitMix64(seed: UInt64(seed))
      if seed % 2 == 0 { try Everything.fill(stack.context, &random) } else { try Self.tangle(stack.context, &random) }
      try stack.context.save()
      stack.context.reset()
    }
    #expect(try StoreDump(stacks[0].store, model) == StoreDump(stacks[1].store, model))
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
      // Each way: by a request, and by IDs; what is told suffices for another context to be right.
      let observer = stacks[1].otherContext()
      let held = try model.entities.flatMap { try observer.fetch(FetchRequest<ManagedObject>($0.name)) }
      for object in held { _ = try Self.state(object) }
      var request =
        round.isMultiple(of: 2)
        ? BatchDeleteRequest(objectIDs: ids(stacks[1]))
        : BatchDeleteRequest(
          FetchRequest<ManagedObject>(
            entity.name, where: Property.object.isIn(ids(stacks[1]))))
      request.resultType = .objectIDs
      let result = try stacks[1].context.execute(request)
      #expect(result.count == chosen.count)
      let (left, right) = (try StoreDump(stacks[1].store, model), try StoreDump(stacks[0].store, model))
      #expect(left == right, "seed \(seed), round \(round), \(entity.name): \(left.difference(from: right))")
      try ManagedObjectContext.mergeChanges(fromRemoteContextSave: #require(result.changes), into: [observer])
      let fresh = try stacks[1].forgetful()
      for object in held where object.managedObjectContext != nil {
        let id = object.objectID
        let same = try #require(
          try fresh.fetch(FetchRequest<ManagedObject>(id.entity.name)).first { $0.objectID.key == id.key })
        #expect(try Self.state(object) == Self.state(same))
      }
    }
    #expect(deleted > 0)
  }

  /// What an object says, its relationships by the keys of the others.
  private static func state(_ object: ManagedObject) throws -> [String] {
    let attributes = try object.entity.attributes.map { "\($0.name) \(try object.value(of: $0))" }
    let relationships = try object.entity.relationships.map { relationship in
      let keys =
        relationship.isToMany
        ? try object.objects(relationship).map(\.objectID.key).sorted()
        : try object.object(relationship).map { [$0.objectID.key] } ?? []
      return "\(relationship.name) \(keys)"
    }
    return attributes + relationships
  }

  /// Thirty nodes and a few of the others, with random bonds.
  private static func tangle(_ context: ManagedObjectContext, _ random: inout SplitMix64) throws {
    var objects: [String: [ManagedObject]] = [:]
    for (entity, count) in [(Tangle.nodes, 30), (Tangle.boxes, 4), (Tangle.keys, 10), (Tangle.tags, 6)] {
      for number in 0..<count {
        let object = try context.insert(entity)
        try object.setValue(number, forKey: "number")
        objects[entity, default: []].append(object)
      }
    }
    for bond in Tangle.Bond.allCases {
      for source in objects[bond.source] ?? [] where random.chance(60) {
        guard let destination = objects[bond.destination]?.randomElement(using: &random) else { continue }
        let relationship = try source.entity.relationship(bond.name)
        if relationship.isToMany {
          try source.set(relationship, to: source.objects(relationship).union([destination]))
        } else {
          try source.set(relationship, to: destination)
        }
      }
    }
  }

  @Test(
    "31: a rule that denies, and a relationship that must not be empty, make a deletion fail", arguments: Stack.types)
  func denied(_ type: StoreType) throws {
    let stack = try Stack(type)
    let (student, schoolClass) = (try stack.context.student("S1"), try stack.context.schoolClass(1))
    student.schoolClass = schoolClass
    try stack.context.save()
    let before = try StoreDump(stack.store, stack.model)
    let error = #expect(throws: ObjectGraphError.self) {
      try stack.context.execute(BatchDeleteRequest(FetchRequest<SchoolClass>()))
    }
    #expect(error?.failures?.map(\.key) == ["class_students"])
    #expect(try StoreDump(stack.store, stack.model) == before)
    // Without students it can go; the class's version has counted up with the student.
    try stack.context.execute(BatchDeleteRequest(FetchRequest<Student>()))
    try stack.context.execute(BatchDeleteRequest(FetchRequest<SchoolClass>()))
    #expect(try StoreDump(stack.store, stack.model).lines.allSatisfy { $0.contains(" next ") })

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

  @Test("31: of several stores a request is about all, or those that it names", arguments: Stack.types)
  func stores(_ type: StoreType) throws {
    let stack = try Stack(type, model: AppLogs.model())
    let second = try stack.coordinator.addPersistentStore(
      type, at: type == .inMemory ? nil : stack.directory.appendingPathComponent("second.db"))
    for store in [stack.store, second] {
      var request = BatchInsertRequest(
        "AppLog", objects: (0..<10).map { ["appLogID": "\($0)", "userID": "u", "accuracy": 0.0] })
      request.affectedStore = store
      try stack.context.execute(request)
    }
    var update = BatchUpdateRequest("AppLog")
    update.propertiesToUpdate = ["accuracy": 1.0]
    update.resultType = .count
    #expect(try stack.context.execute(update).count == 20)
    var delete = BatchDeleteRequest(FetchRequest<AppLog>(where: Property("accuracy") == 1.0))
    delete.affectedStores = [second]
    delete.resultType = .count
    #expect(try stack.context.execute(delete).count == 10)
    #expect(try stack.otherContext().count(for: FetchRequest<AppLog>()) == 10)
    try stack.coordinator.remove(second)
    #expect(throws: ObjectGraphError.self) { try stack.context.execute(delete) }
    try stack.coordinator.remove(stack.store)
    #expect(throws: ObjectGraphError.self) { try stack.context.execute(BatchInsertRequest("AppLog", objects: [])) }
  }
}
