import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Known facts about Core Data's statements, compared with this engine. Each test names the fact and its source (A is
/// Apple's text, B a log or test of others). Other suites have the number of a fact in the names of their tests.
@Suite struct CoreDataFactsTests {
  private let stack: Stack

  /// Students S0 to S9 of two classes in two courses, with two scores each; none is registered.
  init() throws {
    stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator, .confinement)
    let classes = try (0..<2).map { try context.schoolClass($0) }
    let courses = try (0..<3).map { try context.course($0) }
    for number in 0..<10 {
      let student = try context.student("S\(number)", in: classes[number % 2], taking: Set(courses.prefix(2)))
      for index in 0..<2 { _ = try context.score(2 * number + index, of: student, in: courses[index]) }
    }
    try context.save()
    stack.clearStatements()
  }

  private var inOrder: FetchRequest<Student> { FetchRequest(sortedBy: [SortKey("studentId")]) }

  private func ids() throws -> [ManagedObjectID] {
    let ids = try stack.context.fetchObjectIDs(inOrder)
    stack.clearStatements()
    return ids
  }

  @Test("fact 12 (B, A): a fault is one SELECT by Z_PK, none with a cached row; existingObject asks for unread objects")
  func objectFault() throws {
    let id = try ids()[3]
    let student = try #require(stack.context.object(with: id) as? Student)
    #expect(stack.statements.isEmpty && student.studentId == "S3")
    #expect(stack.statements.count == 1)
    #expect(
      stack.statements[0].contains(
        "FROM ZSTUDENTS t0 WHERE t0.Z_PK = \(id.uriRepresentation.lastPathComponent.dropFirst())"))
    // A to-one relationship is the same.
    let schoolClass = try #require(student.schoolClass)
    #expect(stack.statements.count == 1 && schoolClass.isFault)
    #expect(schoolClass.classId == 1 && stack.statements.count == 2)
    // An object that is registered costs nothing.
    #expect(try stack.context.existingObject(with: id) === student && student.schoolClass === schoolClass)
    #expect(stack.statements.count == 2)
    // Another context finds both rows in the cache.
    let peer = stack.otherContext()
    let twin = try #require(peer.object(with: id) as? Student)
    #expect(twin.isFault && twin.studentId == "S3" && twin.schoolClass?.classId == 1)
    #expect(stack.statements.count == 2)
    // A fault that has given its row back asks once, whichever way, and so does an object that is not registered.
    try stack.context.refresh(schoolClass, mergeChanges: false)
    #expect(try stack.context.existingObject(with: schoolClass.objectID) === schoolClass)
    #expect(schoolClass.classId == 1 && stack.statements.count == 3)
    #expect(try stack.otherContext().existingObject(with: id) != nil && stack.statements.count == 4)
    // One that is changed, new or deleted does not, nor does its URI.
    student.studentName = "Grace"
    let found = try #require(stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation))
    #expect(try stack.context.existingObject(with: found) === student && stack.context.object(with: id) === student)
    let new = try stack.context.student("S10")
    #expect(try stack.context.existingObject(with: new.objectID) === new && stack.statements.count == 4)
    try stack.context.delete(student)
    stack.clearStatements()
    #expect(try stack.context.existingObject(with: id) == nil && stack.statements.isEmpty)
  }

  @Test("fact 13 (B): a to-many fault is one SELECT of its members' keys, which counting fires; members fault singly")
  func toManyFault() throws {
    let schoolClass = try #require(
      try stack.context.fetch(FetchRequest<SchoolClass>(where: Property("classId") == 0)).first)
    stack.clearStatements()
    #expect(schoolClass.students.count == 5)
    #expect(
      stack.statementTexts == [
        "SELECT t0.ZSTUDENT_CLASS, t0.Z_PK FROM ZSTUDENTS t0 WHERE t0.ZSTUDENT_CLASS = ? ORDER BY 1, 2"
      ])
    let students = Array(schoolClass.students)
    #expect(students.allSatisfy(\.isFault) && stack.statements.count == 1)
    #expect(students.map(\.studentId).sorted() == ["S0", "S2", "S4", "S6", "S8"])
    #expect(stack.statements.count == 6)
    // A new object has nothing to read.
    #expect(try stack.context.schoolClass(7).students == [] && schoolClass.students == Set(students))
    #expect(stack.statements.count == 6)
    // Many to many: the join table alone.
    #expect(students[0].courses.count == 2)
    #expect(stack.statements.count == 7 && stack.statements[6].contains("FROM Z_"))
    #expect(students[0].courses.allSatisfy(\.isFault) && stack.statements.count == 7)
  }

  @Test("fact 16 (B): a fetch always asks SQLite, and fills the cache")
  func fetching() throws {
    let id = try ids()[0]
    let students = try stack.context.fetch(inOrder)
    #expect(try stack.context.fetch(inOrder) == students && stack.statements.count == 2)
    let peer = stack.otherContext()
    #expect((peer.object(with: id) as? Student)?.studentName == "Ada" && stack.statements.count == 2)
    let far = try stack.reopened()
    try #require(try far.fetch(inOrder).first).studentName = "Grace"
    try far.save()
    stack.clearStatements()
    // The fetch of one context refreshes the cache, and so another context's fault.
    let third = stack.otherContext()
    _ = try third.fetch(FetchRequest<Student>(where: Property("studentId") == "S0"))
    #expect(stack.statements.count == 1)
    let fourth = stack.otherContext()
    #expect((fourth.object(with: id) as? Student)?.studentName == "Grace" && stack.statements.count == 1)
    withExtendedLifetime(students) {}
  }
}
