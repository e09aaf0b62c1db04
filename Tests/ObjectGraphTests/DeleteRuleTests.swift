import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 13: delete rules.
@Suite struct DeleteRuleTests {
  @Test("13: nullify empties to-one inverses and takes the object out of to-many ones", arguments: Stack.types)
  func nullify(_ type: StoreType) throws {
    let stack = try Stack(type, model: try Tangle.model())
    let context = stack.context
    let nodes = try (1...3).map { try context.tangled(Tangle.nodes, $0) }
    let (box, tag) = (try context.tangled(Tangle.boxes, 4), try context.tangled(Tangle.tags, 5))
    for node in nodes {
      try node.setValue(box, forKey: "box")
      try node.setValue(Set([tag]), forKey: "tags")
    }
    try nodes[0].setValue(nodes[1], forKey: "partner")
    try context.save()
    try context.delete(box)
    try context.delete(tag)
    try context.delete(nodes[1])
    try context.processPendingChanges()
    for key in ["box", "partner", "tags"] {
      #expect(try nodes[0].destinations(nodes[0].entity.relationship(key)) == [])
    }
    #expect(context.deletedObjects == [box, tag, nodes[1]])
    try context.save()
    let fresh = try stack.forgetful()
    let left = try fresh.fetch(FetchRequest<ManagedObject>(Tangle.nodes, sortedBy: [SortKey("number")]))
    #expect(try left.map { try $0.value(forKey: "number") as? Int64 } == [1, 3])
    for node in left {
      for key in ["box", "partner", "tags"] { #expect(try node.destinations(node.entity.relationship(key)) == []) }
    }
    if type == .sqlite {
      #expect(
        try Database.rows(stack.url, "SELECT ZBOX, ZPARTNER FROM ZNODE") == [["NULL", "NULL"], ["NULL", "NULL"]])
      #expect(try Database.number(stack.url, "SELECT COUNT(*) FROM Z_3TAGS") == 0)
    }
  }

  @Test("13: cascade deletes what is reached over any number of steps, and nothing else", arguments: Stack.types)
  func cascade(_ type: StoreType) throws {
    let stack = try Stack(type, model: try Tangle.model())
    let context = stack.context
    // A root with three children, each with three children, each with a key.
    let root = try context.tangled(Tangle.nodes, 0)
    for number in 1...3 {
      let child = try context.tangled(Tangle.nodes, number)
      try child.setValue(root, forKey: "parent")
      for index in 1...3 {
        let grandchild = try context.tangled(Tangle.nodes, 10 * number + index)
        try grandchild.setValue(child, forKey: "parent")
        try grandchild.setValue(try context.tangled(Tangle.keys, 100 * number + index), forKey: "key")
      }
    }
    try context.save()

    // From faults that were never read.
    let other = stack.otherContext()
    let one = Property("number") == 1
    let child = try #require(try other.fetch(FetchRequest<ManagedObject>(Tangle.nodes, where: one)).first)
    try other.delete(child)
    try other.processPendingChanges()
    #expect(other.deletedObjects.count == 7)
    try other.save()
    #expect(try stack.forgetful().numbers() == [0, 2, 3, 21, 22, 23, 31, 32, 33, 201, 202, 203, 301, 302, 303])
    try other.delete(other.object(with: root.objectID))
    try other.save()
    #expect(try stack.forgetful().numbers() == [])
  }

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

  @Test(
    "13: no action leaves a reference to nothing: no values, or an error if that is the policy", arguments: Stack.types)
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
      try node.setValue("\(number)", forKey: "name")
      try node.setValue(nodes[(number + 1) % 3], forKey: "next")
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
    fresh.reset()
    fresh.shouldDeleteInaccessibleFaults = false
    let again = try #require(try fresh.fetch(FetchRequest<ManagedObject>("Node", where: Property("name") == "0")).first)
    let error = #expect(throws: ObjectGraphError.self) { try again.object(next)?.value(forKey: "name") }
    #expect(error?.description == "\(nodes[1].objectID) is not in its store any more")
  }

  @Test("13: rules ignore objects that another context has deleted", arguments: Stack.types)
  func deletedElsewhere(_ type: StoreType) throws {
    let stack = try Stack(type)
    let (student, course) = (try stack.context.student("S1"), try stack.context.course(1))
    let home = try stack.context.schoolClass(1)
    (student.schoolClass, student.courses) = (home, [course])
    let scores = try ["2026-1", "2026-2"].map { try stack.context.score(1, of: student, in: course, semester: $0) }
    try stack.context.save()
    let context = stack.otherContext()
    let there = try #require(context.object(with: student.objectID) as? Student)
    // It knows the scores by their IDs only.
    #expect(there.scores.count == 2 && there.courses.count == 1)
    let protected = context.object(with: home.objectID)
    #expect((protected as? SchoolClass)?.students == [there])
    try stack.context.delete(scores[0])
    try stack.context.save()
    try context.delete(there)
    try context.delete(protected)
    try context.save()
    let music = ["courseId": "1", "courseName": "'Music'", "course_students": "", "course_score": ""]
    #expect(try Graph(numbered: stack.forgetful()).objects == ["Courses/1": music])
  }
}

extension ManagedObjectContext {
  /// An object of the tangle.
  fileprivate func tangled(_ entity: String, _ number: Int) throws -> ManagedObject {
    let object = try insert(entity)
    try object.setValue(number, forKey: "number")
    return object
  }

  /// The numbers of all nodes and keys.
  fileprivate func numbers() throws -> [Int64] {
    var objects: [ManagedObject] = []
    for entity in [Tangle.nodes, Tangle.keys] { objects += try fetch(FetchRequest<ManagedObject>(entity)) }
    return try objects.compactMap { try $0.value(forKey: "number") as? Int64 }.sorted()
  }
}
