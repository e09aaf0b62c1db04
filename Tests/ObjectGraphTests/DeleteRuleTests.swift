import ObjectGraph
import TestSupport
import Testing

/// Semantic 13: delete rules. Random programs and ``BatchChangeTests`` show cascades over any number of steps.
@Suite struct DeleteRuleTests {
  @Test("13: deny makes the save fail as long as there is a destination", arguments: Stack.types)
  func deny(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let home = try context.schoolClass(1)
    let students = try ["S1", "S2"].map { try context.student($0) }
    home.students = Set(students)
    try context.save()
    let before = try stack.files()
    try context.delete(home)
    for left in [2, 1] {
      let error = #expect(throws: ObjectGraphError.self) { try context.save() }
      let failures = try #require(error?.failures)
      #expect(failures.map(\.objectID) == [home.objectID])
      #expect(failures.map { "\($0.entity).\($0.key)" } == ["Classes.class_students"])
      #expect(try #require(error).description.contains("\(left) Students left"))
      #expect(home.isDeleted && students.allSatisfy { !$0.isDeleted })
      #expect(try stack.files() == before)
      students[2 - left].schoolClass = nil
    }
    try context.save()
    #expect(home.managedObjectContext == nil)
    #expect(try stack.forgetful().count(for: FetchRequest<SchoolClass>()) == 0)
    #expect(try stack.forgetful().studentCount() == 2)
  }

  @Test("13: no action leaves a reference to a fault without a row", arguments: Stack.types)
  func noAction(_ type: StoreType) throws {
    let model = try ManagedObjectModel([
      EntityDescription(
        "Node", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("next", to: "Node", inverse: "previous", deleteRule: .noAction),
          RelationshipDescription("previous", to: "Node", inverse: "next", deleteRule: .noAction),
        ])
    ])
    let stack = try Stack(type, model: model)
    let nodes = try (0..<3).map { _ in try stack.context.insert("Node") }
    for (number, node) in nodes.enumerated() {
      try node.set(["name": "\(number)", "next": nodes[(number + 1) % 3]])
    }
    try stack.context.save()
    let next = try nodes[0].entity.relationship("next")
    try stack.context.delete(nodes[1])
    try stack.context.save()
    let fresh = try stack.forgetful()
    let left = try fresh.fetch(FetchRequest<ManagedObject>("Node", sortedBy: [SortKey("name")]))
    #expect(try left.map { try $0.value(forKey: "name") as? String } == ["0", "2"])
    let dangling = try #require(try left[0].object(next))
    #expect(dangling.isFault && dangling.objectID.uriRepresentation == nodes[1].objectID.uriRepresentation)
    #expect(try dangling.value(forKey: "name") == nil)
    #expect(dangling.isDeleted)
  }

  @Test("13: rules ignore objects that another context has deleted", arguments: Stack.types)
  func deletedElsewhere(_ type: StoreType) throws {
    let stack = try Stack(type)
    let (student, home, course, score) = try stack.context.school()
    _ = try stack.context.score(1, of: student, in: course, semester: "2026-2")
    try stack.context.save()
    let context = stack.otherContext()
    let there = try #require(context.object(with: student.objectID) as? Student)
    // It knows the scores by their IDs only.
    #expect(there.scores.count == 2 && there.courses.count == 1)
    let protected = context.object(with: home.objectID)
    #expect((protected as? SchoolClass)?.students == [there])
    try stack.context.delete(score)
    try stack.context.save()
    try context.delete(there)
    try context.delete(protected)
    try context.save()
    let music = ["courseId": "1", "courseName": "'Music'", "course_students": "", "course_score": ""]
    #expect(try Graph(numbered: stack.forgetful()).objects == ["Courses/1": music])
  }
}
