import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 26: fetches whose rows are read a batch at a time. What that saves in memory: ``MemoryTests``.
@Suite struct BatchTests {
  /// A store with students `S00001` and so on, in the order of their keys.
  private func stack(_ count: Int) throws -> Stack {
    let stack = try Stack()
    for number in 1...count { _ = try stack.context.student(String(format: "S%05d", number)) }
    try stack.context.save()
    stack.clearStatements()
    return stack
  }

  private func request(_ batchSize: Int, prefetching paths: [String] = []) -> FetchRequest<Student> {
    let request = FetchRequest<Student>(sortedBy: [SortKey("studentId")])
    request.fetchBatchSize = batchSize
    request.relationshipKeyPathsForPrefetching = paths
    return request
  }

  @Test("26: of 10,000 objects the first access loads 20 rows, and each further batch 20 more (fact 17)")
  func firstAccess() throws {
    let stack = try stack(10_000)
    let context = stack.otherContext()
    let students = try context.fetchInBatches(request(20))
    // The keys of all, and no row.
    #expect(students.count == 10_000 && context.registeredObjects.isEmpty)
    #expect(stack.statements.count == 1 && stack.statements[0].hasPrefix("SELECT 0, t0.Z_PK FROM"))
    stack.clearStatements()
    let first = students[0]
    #expect(stack.statements.count == 1)
    #expect(context.registeredObjects.count == 20)
    // Any of the 20, any of their values: nothing more is read.
    #expect(first.studentId == "S00001" && students[19].studentId == "S00020" && students[7].studentName == "Ada")
    #expect(stack.statements.count == 1)
    #expect(students[20].studentId == "S00021")
    #expect(stack.statements.count == 2)
    // The first batch is let go of, but for the object that is held here.
    #expect(context.registeredObjects.count == 21)
    stack.clearStatements()
    #expect(students.map(\.studentId) == (1...10_000).map { String(format: "S%05d", $0) })
    #expect(stack.statements.count == 500)
  }

  @Test("26: one object for one ID: a batch gives the objects that are there, read anew only where they are faults")
  func uniquing() throws {
    let stack = try stack(100)
    let context = stack.otherContext()
    let all = try context.fetch(request(0))
    stack.clearStatements()
    let students = try context.fetchInBatches(request(20))
    #expect(zip(all, students).allSatisfy { $0 === $1 })
    #expect(students.reversed().elementsEqual(all.reversed(), by: ===))
    #expect(try stack.otherContext().fetchInBatches(request(0)).map(\.studentId).count == 100)
    // The fetch of the keys, and the fetch without batches.
    #expect(stack.statements.count == 3)
    for student in all[40..<60] { try context.refresh(student, mergeChanges: false) }
    #expect(students[59] === all[59] && students[59].studentId == "S00060")
    #expect(stack.statements.count == 4)
  }

  @Test("26: unsaved changes are in it, and new objects stay in their places when they are saved")
  func pendingChanges() throws {
    let stack = try stack(30)
    let context = stack.otherContext()
    let students = try context.fetch(request(0))
    try context.delete(students[3])
    students[5].studentId = "S99999"
    let new = try context.student("S00004")
    let batches = try context.fetchInBatches(request(7))
    let expected = try context.fetch(request(0))
    #expect(batches.elementsEqual(expected, by: ===))
    #expect(batches[3] === new && batches[29] === students[5])
    try context.save()
    #expect(batches.elementsEqual(expected, by: ===))
    #expect(!batches[3].objectID.isTemporary && context.registeredObjects.isSubset(of: expected))
  }

  @Test("26: what somebody else deletes while it is walked is a fault without values, and what is behind it comes")
  func deletedElsewhere() throws {
    let stack = try stack(30)
    let context = stack.otherContext()
    let students = try context.fetchInBatches(request(10))
    #expect(students[0].studentId == "S00001")
    let other = stack.otherContext()
    try other.delete(try other.fetch(request(0))[14])
    try other.save()
    #expect(students[14].studentId == "" && students[15].studentId == "S00016")
    #expect(students.count == 30)
  }

  @Test("26: a batch prefetches what its own objects lead to")
  func prefetching() throws {
    let stack = try stack(30)
    let course = try stack.context.course(1)
    for (number, student) in try stack.context.fetch(request(0)).enumerated() {
      student.schoolClass = try stack.context.schoolClass(number)
      student.courses = [course]
    }
    try stack.context.save()
    let context = stack.otherContext()
    let students = try context.fetchInBatches(request(10, prefetching: ["student_class", "student_course"]))
    stack.clearStatements()
    for student in students { #expect(student.schoolClass?.classNames == "7A" && student.courses.count == 1) }
    // Students, classes, pairs; the courses are read once and go with their batch.
    #expect(stack.statements.count == 12)
    #expect(context.registeredObjects.count == 21)
  }
}
