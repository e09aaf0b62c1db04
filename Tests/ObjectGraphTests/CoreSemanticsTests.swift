import Foundation
import ObjectGraph
import SampleModels
import Testing

/// Semantics 1 to 10 of the object graph: the context, identity, change tracking, keys, versions, fetching.
@Suite struct CoreSemanticsTests {
  @Test("1: a context is a scratch pad, and a save is one transaction")
  func scratchPad() throws {
    let stack = try Stack()
    for number in 1...100 { _ = try stack.context.student("S\(number)") }
    #expect(try stack.otherContext().count(for: FetchRequest<Student>()) == 0)
    stack.clearStatements()
    try stack.context.save()
    #expect(stack.statements.filter { $0 == "COMMIT" }.count == 1)
    #expect(stack.statements.filter { $0.hasPrefix("INSERT INTO ZSTUDENTS") }.count == 100)
    #expect(try stack.otherContext().count(for: FetchRequest<Student>()) == 100)
  }

  @Test("2: one object for one ID in a context")
  func uniquing() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    student.schoolClass = try stack.context.schoolClass(1)
    try stack.context.save()
    let other = stack.otherContext()
    let first = try #require(try other.fetch(FetchRequest<Student>()).first)
    let second = try #require(try other.fetch(FetchRequest<Student>()).first)
    let walked = try #require(first.schoolClass?.students.first)
    #expect(first === second)
    #expect(first === walked)
    #expect(first !== student)
    #expect(first.objectID == student.objectID)
  }

  @Test("3: an update writes the changed columns and the version, and nothing where the value is as it was")
  func changeTracking() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1", "Ada")
    try stack.context.save()
    #expect(!stack.context.hasChanges && !student.hasChanges)
    student.studentName = "Grace"
    #expect(stack.context.updatedObjects == [student] && student.changedKeys == ["studentName"])
    stack.clearStatements()
    try stack.context.save()
    let updates = stack.statements.filter { $0.hasPrefix("UPDATE ZSTUDENTS") }
    #expect(updates == ["UPDATE ZSTUDENTS SET ZSTUDENTNAME = 'Grace', Z_OPT = 2 WHERE Z_PK = 1 AND Z_OPT = 1"])
    student.studentName = "Ada"
    student.studentName = "Grace"
    #expect(!stack.context.hasChanges)
    stack.clearStatements()
    try stack.context.save()
    #expect(stack.statements.isEmpty)
    try stack.context.delete(student)
    #expect(stack.context.deletedObjects == [student] && student.isDeleted)
  }

  @Test("4: keys count up from 1 and are never used again, and an ID is temporary until the save")
  func keys() throws {
    let stack = try Stack()
    let students = try (1...3).map { try stack.context.student("S\($0)") }
    #expect(students.allSatisfy { $0.objectID.isTemporary })
    try stack.context.save()
    #expect(students.map { $0.objectID.uriRepresentation.lastPathComponent } == ["p1", "p2", "p3"])
    for student in students { try stack.context.delete(student) }
    try stack.context.save()
    let next = try stack.context.student("S4")
    try stack.context.save()
    #expect(next.objectID.uriRepresentation.lastPathComponent == "p4")
  }

  @Test("5: entities are numbered in the order of their names")
  func entityNumbers() throws {
    let stack = try Stack()
    #expect(stack.model.entities.map(\.name) == ["Classes", "Courses", "Scores", "Students"])
    #expect(stack.model.entities.map(\.number) == [1, 2, 3, 4])
  }

  @Test("6: the version is 1 after the insert, one more after each saved update, and reads leave it")
  func versions() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    try stack.context.save()
    for number in 1...5 {
      student.studentDes = "change \(number)"
      try stack.context.save()
    }
    for _ in 0..<100 { _ = try stack.otherContext().fetch(FetchRequest<Student>()).first?.studentName }
    stack.clearStatements()
    student.studentDes = "the last one"
    try stack.context.save()
    #expect(stack.statements.contains { $0.hasSuffix("Z_OPT = 7 WHERE Z_PK = 1 AND Z_OPT = 6") })
  }

  /// An object that two contexts have changed: the store is at version 2 with another name and description.
  private func conflict(_ policy: MergePolicy) throws -> (stack: Stack, context: ManagedObjectContext, student: Student)
  {
    let stack = try Stack()
    let first = try stack.context.student("S1", "old")
    first.studentDes = "old"
    try stack.context.save()
    let context = stack.otherContext()
    context.mergePolicy = policy
    let student = try #require(try context.fetch(FetchRequest<Student>()).first)
    #expect(student.studentName == "old")
    first.studentName = "theirs"
    first.studentDes = "theirs"
    try stack.context.save()
    student.studentName = "mine"
    student.studentPwd = "mine"
    return (stack, context, student)
  }

  @Test("7: a save of an old version is a conflict, and the store keeps what it has")
  func optimisticLocking() throws {
    let (stack, context, student) = try conflict(.error)
    let error = #expect(throws: ObjectGraphError.self) { try context.save() }
    guard case .conflicts(let conflicts) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.oldVersion) == [1] && conflicts.map(\.newVersion) == [2])
    #expect(student.studentName == "mine" && student.isUpdated)
    #expect(try stack.otherContext().fetch(FetchRequest<Student>()).first?.studentName == "theirs")
  }

  @Test(
    "7: merge policies",
    arguments: [
      (MergePolicy.mergeByPropertyStoreTrump, ["theirs", "theirs", "mine"]),
      (.mergeByPropertyObjectTrump, ["mine", "theirs", "mine"]),
      (.overwrite, ["mine", "old", "mine"]),
      (.rollback, ["theirs", "theirs", nil]),
    ] as [(MergePolicy, [String?])])
  func mergePolicies(policy: MergePolicy, expected: [String?]) throws {
    let (stack, context, student) = try conflict(policy)
    try context.save()
    #expect([student.studentName, student.studentDes, student.studentPwd] == expected)
    let stored = try #require(try stack.otherContext().fetch(FetchRequest<Student>()).first)
    #expect([stored.studentName, stored.studentDes, stored.studentPwd] == expected)
  }

  @Test("7: an update of a row that somebody else has deleted is a conflict")
  func updateOfDeleted() throws {
    let (stack, context, _) = try conflict(.error)
    let there = try #require(try stack.context.fetch(FetchRequest<Student>()).first)
    try stack.context.delete(there)
    try stack.context.save()
    let error = #expect(throws: ObjectGraphError.self) { try context.save() }
    guard case .conflicts(let conflicts) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.newVersion) == [0])
  }

  @Test("8: a rollback forgets inserts, updates, deletes and relationships, and writes nothing")
  func rollback() throws {
    let stack = try Stack()
    let (kept, changed) = (try stack.context.student("S1", "kept"), try stack.context.student("S2", "before"))
    let home = try stack.context.schoolClass(1)
    kept.schoolClass = home
    try stack.context.save()
    stack.clearStatements()
    let new = try stack.context.student("S3")
    new.schoolClass = home
    changed.studentName = "after"
    changed.schoolClass = home
    try stack.context.delete(kept)
    #expect(home.students == [new, changed, kept])
    stack.context.rollback()
    #expect(!stack.context.hasChanges && new.managedObjectContext == nil && !kept.isDeleted)
    #expect(changed.studentName == "before" && changed.schoolClass == nil)
    #expect(home.students == [kept] && kept.schoolClass === home)
    try stack.context.save()
    #expect(!stack.statements.contains { $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") || $0.hasPrefix("DELETE") })
    #expect(try stack.otherContext().count(for: FetchRequest<Student>()) == 2)
  }

  @Test("8: a reset lets go of every object")
  func reset() throws {
    let stack = try Stack()
    let saved = try stack.context.student("S1")
    try stack.context.save()
    _ = try stack.context.student("S2")
    stack.context.reset()
    #expect(saved.managedObjectContext == nil && !stack.context.hasChanges)
    let again = try #require(try stack.context.fetch(FetchRequest<Student>()).first)
    #expect(again !== saved && again.studentId == "S1")
  }

  @Test("9: predicates, order, limit and offset become SQL with bound values")
  func fetching() throws {
    let stack = try Stack()
    let (a, b) = (try stack.context.schoolClass(1, "7A"), try stack.context.schoolClass(2, "7B"))
    let music = try stack.context.course(1, "Music")
    for (number, name) in ["Ada", "Grace", "alan", "O'Brien\"; DROP"].enumerated() {
      let student = try stack.context.student("S\(number)", name)
      student.schoolClass = number < 2 ? a : b
      if number.isMultiple(of: 2) { student.courses = [music] }
    }
    try stack.context.save()
    func names(_ predicate: FetchPredicate?, limit: Int = 0, offset: Int = 0) throws -> [String] {
      let request = FetchRequest<Student>(
        where: predicate, sortedBy: [SortKey("studentName")], limit: limit, offset: offset)
      let names = try stack.otherContext().fetch(request).map(\.studentName)
      #expect(try stack.otherContext().count(for: request) == names.count)
      return names
    }
    let name = Property("studentName")
    #expect(try names(nil) == ["Ada", "Grace", "O'Brien\"; DROP", "alan"])
    #expect(try names(nil, limit: 2, offset: 1) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(name == "O'Brien\"; DROP") == ["O'Brien\"; DROP"])
    #expect(try names(name.ignoringCase.begins(with: "A")) == ["Ada", "alan"])
    #expect(try names(name.begins(with: "A") || name.contains("rac")) == ["Ada", "Grace"])
    #expect(try names(name > "B" && name < "P") == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("student_class.classNames") == "7B") == ["O'Brien\"; DROP", "alan"])
    #expect(try names(!(Property("student_class") == a)) == ["O'Brien\"; DROP", "alan"])
    #expect(try names(Property.any("student_course.courseName") == "Music") == ["Ada", "alan"])
    #expect(try names(!(Property.any("student_course.courseName") == "Music")) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("studentId").isIn(["S1", "S3", "S9"])) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("studentDes") == Value.null).count == 4)
    #expect(try names(Property("studentDes") != "x").count == 4)
    #expect(throws: ObjectGraphError.self) { try names(Property("nickname") == "x") }
    #expect(throws: ObjectGraphError.self) { try names(name == 5) }
  }

  @Test("10: a fetch sees what has not been saved")
  func pendingChanges() throws {
    let stack = try Stack()
    let (gone, changed) = (try stack.context.student("S1", "Ada"), try stack.context.student("S2", "Bob"))
    try stack.context.save()
    let new = try stack.context.student("S3", "Abe")
    try stack.context.delete(gone)
    changed.studentName = "Ann"
    let request = FetchRequest<Student>(
      where: Property("studentName").begins(with: "A"), sortedBy: [SortKey("studentName")])
    #expect(try stack.context.fetch(request) == [new, changed])
    #expect(try stack.context.count(for: request) == 2)
    request.fetchLimit = 1
    request.fetchOffset = 1
    #expect(try stack.context.fetch(request) == [changed])
    request.includesPendingChanges = false
    request.fetchOffset = 0
    #expect(try stack.context.fetch(request) == [gone])
  }
}
