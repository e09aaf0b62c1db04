import TestSupport
import Testing

@testable import ObjectGraph

/// Semantic 31: objects inserted past the contexts. Facts 18, 20.
@Suite struct BatchInsertTests {
  private typealias Values = [String: (any ManagedValue)?]

  private static func log(_ number: Int, _ user: String = "u1", _ accuracy: Double? = nil) -> Values {
    var values: Values = ["appLogID": "log \(number)", "userID": user]
    if let accuracy { values["accuracy"] = accuracy }
    return values
  }

  private static func logs(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest<AppLog>(sortedBy: [SortKey("appLogID")])).map {
      "\($0.appLogID) \($0.userID) \($0.accuracy.map { "\($0)" } ?? "-")"
    }
  }

  @Test("31: a batch leaves what a context's save leaves, by dictionaries and by a block", arguments: Stack.types)
  func sameAsContext(_ type: StoreType) throws {
    let stacks = try (0..<3).map { _ in try Stack(type, model: AppLogs.model()) }
    for stack in stacks {
      // Something is there already, and a key is used up.
      for number in 1000..<1003 { _ = try AppLog.findOrCreate("log \(number)", of: "u0", in: stack.context) }
      try stack.context.save()
      try stack.context.delete(stack.context.fetch(FetchRequest<AppLog>(where: Property("appLogID") == "log 1002"))[0])
      try stack.context.save()
    }
    for number in 0..<500 {
      let log = try stacks[0].context.insert(AppLog.self)
      (log.appLogID, log.userID) = ("log \(number)", "ü1")
      log.accuracy = number.isMultiple(of: 2) ? Double(number) / 3 : nil
    }
    try stacks[0].context.save()
    let rows = (0..<500).map { Self.log($0, "ü1", $0.isMultiple(of: 2) ? Double($0) / 3 : nil) }
    try stacks[1].context.execute(BatchInsertRequest("AppLog", objects: rows))
    var next = 0
    let entity = try stacks[2].model.entity("AppLog")
    let (id, user, accuracy) = (
      try entity.attribute("appLogID"), try entity.attribute("userID"), try entity.attribute("accuracy")
    )
    try stacks[2].context.execute(
      BatchInsertRequest("AppLog") { log in
        guard next < 500 else { return true }
        try log.set(id, to: .string("log \(next)"))
        try log.set(user, to: "ü1")
        if next.isMultiple(of: 2) { try log.set(accuracy, to: .double(Double(next) / 3)) }
        next += 1
        return false
      })
    let dumps = try stacks.map { try $0.store.dump($0.model) }
    #expect(dumps[1] == dumps[0], "\(dumps[1].difference(from: dumps[0]))")
    #expect(dumps[2] == dumps[0], "\(dumps[2].difference(from: dumps[0]))")
    #expect(dumps[0].count == 503)
    // The next object has the next key, and another process sees all of it.
    for stack in stacks {
      let log = try AppLog.findOrCreate("last", of: "u0", in: stack.context)
      try stack.context.save()
      #expect(log.objectID.uriRepresentation.lastPathComponent == "p504")
      #expect(try stack.forgetful().count(for: FetchRequest<AppLog>()) == 503)
    }
  }

  @Test("31: no notification is posted, nothing is validated", arguments: Stack.types)
  func pastContexts(_ type: StoreType) throws {
    let model = try ManagedObjectModel([
      EntityDescription(
        "Loud",
        attributes: [
          AttributeDescription("name", .string, optional: false, length: 2...3),
          AttributeDescription("size", .double, default: 1.5, range: 0...2),
        ])
    ])
    let stack = try Stack(type, model: model)
    let context = stack.context
    let posted = SavedChanges(context)
    try context.execute(BatchInsertRequest("Loud", objects: [["size": 7.0], ["name": "too long"], [:]]))
    #expect(posted.all.isEmpty && !context.hasChanges && context.registeredObjects.isEmpty)
    let found = try context.fetch(FetchRequest<ManagedObject>("Loud"))
    #expect(try found.map { try $0.value(forKey: "size") as? Double } == [7, 1.5, 1.5])
    #expect(try found.map { try $0.value(forKey: "name") as? String } == [nil, "too long", nil])
  }

  @Test("31: what an entity does not take is refused by name, and nothing is inserted", arguments: Stack.types)
  func refused(_ type: StoreType) throws {
    let stack = try Stack(type)
    let before = try stack.store.dump(stack.model)
    func fails(_ values: Values, _ text: String) throws {
      let request = BatchInsertRequest("Students", objects: [["studentId": "S1"], values])
      let error = errorText { try stack.context.execute(request) }
      #expect(error?.contains(text) == true, "\(error ?? "-")")
      #expect(try stack.store.dump(stack.model) == before)
    }
    try fails(["nickname": "x"], "entity 'Students' has no property 'nickname'")
    try fails(["studentName": 5], "Students.studentName takes string, not 5")
    try fails(["student_class": 5], "Students.student_class is a relationship")
    #expect(throws: ObjectGraphError.self) { try stack.context.execute(BatchInsertRequest("Nobody", objects: [])) }
    let foreign = try AppLogs.model().entity("AppLog").attribute("userID")
    #expect(throws: ObjectGraphError.self) {
      try stack.context.execute(
        BatchInsertRequest("Students") { student in
          try student.set(foreign, to: "x")
          return false
        })
    }
    // A block that fails, alone or after another save, leaves nothing.
    struct Mishap: Error {}
    for isSave in [false, true] {
      var count = 0
      #expect(throws: (any Error).self) {
        try stack.context.execute(
          BatchInsertRequest("Students") { student in
            count += 1
            try student.setValue("S\(count)", forKey: "studentId")
            guard count == 5 else { return false }
            if isSave { try stack.otherContext().savedStudent("other") }
            throw Mishap()
          })
      }
      #expect(count == 5)
      #expect(try stack.store.dump(stack.model) == before)
    }
    #expect(try stack.context.execute(BatchInsertRequest("Students", objects: [])) == 0)
  }

  @Test(
    "31: values that must be unique: an error, an upsert, or what was there, as the policy says",
    arguments: Stack.types, MergePolicy.allCases)
  func unique(_ type: StoreType, _ policy: MergePolicy) throws {
    let stack = try Stack(type, model: AppLogs.model())
    let first = (1...3).map { Self.log($0, "u1", 1) }
    try stack.context.execute(BatchInsertRequest("AppLog", objects: first))
    let before = try stack.store.dump(stack.model)
    stack.context.mergePolicy = policy
    // One new object, one that is there with another value, one that is there without, one twice.
    let request = BatchInsertRequest(
      "AppLog", objects: [Self.log(9, "u1", 2), Self.log(2, "u1", 2), Self.log(3), Self.log(9, "u1", 5)])
    if policy == .error {
      let error = #expect(throws: ObjectGraphError.self) { try stack.context.execute(request) }
      let conflicts = try #require(error?.constraintConflicts)
      #expect(conflicts.map(\.constraint) == [["userID", "appLogID"]])
      #expect(conflicts[0].databaseObjectID?.uriRepresentation.lastPathComponent == "p2")
      return #expect(try stack.store.dump(stack.model) == before)
    }
    #expect(try stack.context.execute(request) == (policy.isOurs ? 4 : 1))
    let values =
      switch policy {
      case .mergeByPropertyObjectTrump: ["1.0", "2.0", "1.0", "5.0"]
      case .overwrite: ["1.0", "2.0", "-", "5.0"]
      default: ["1.0", "1.0", "1.0", "2.0"]
      }
    #expect(try Self.logs(stack.forgetful()) == zip([1, 2, 3, 9], values).map { "log \($0) u1 \($1)" })
    // No key is used up by an object that was there.
    #expect(try stack.store.dump(stack.model).last == "AppLog next 5")
  }

  @Test("31: the stores' versions after an upsert make a stale context meet a conflict", arguments: Stack.types)
  func versions(_ type: StoreType) throws {
    let stack = try Stack(type, model: AppLogs.model())
    let log = try AppLog.findOrCreate("log 1", of: "u1", in: stack.context)
    try stack.context.save()
    let other = stack.otherContext()
    other.mergePolicy = .mergeByPropertyObjectTrump
    try other.execute(BatchInsertRequest("AppLog", objects: [Self.log(1, "u1", 7)]))
    #expect(log.accuracy == nil)
    log.accuracy = 3
    let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    #expect(error?.mergeConflicts?.map(\.newVersion) == [2])
  }
}
