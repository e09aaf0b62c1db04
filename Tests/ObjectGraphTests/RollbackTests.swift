import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 8: rollback and reset.
@Suite struct RollbackTests {
  /// A student in a class, with a course and a score.
  private func school(_ stack: Stack) throws -> (Student, SchoolClass, Course, Score) {
    let student = try stack.context.student("S1")
    let (schoolClass, course) = (try stack.context.schoolClass(1), try stack.context.course(1))
    student.schoolClass = schoolClass
    student.courses = [course]
    let score = try stack.context.score(1, of: student, in: course)
    try stack.context.save()
    stack.clearStatements()
    return (student, schoolClass, course, score)
  }

  @Test("8: after a rollback everything is as after the last save", arguments: Stack.types, [false, true])
  func rollback(_ type: StoreType, processing: Bool) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (student, schoolClass, course, score) = try school(stack)
    let other = try context.schoolClass(2)
    try context.save()
    let before = try stack.files()
    stack.clearStatements()

    student.studentName = "Grace"
    student.schoolClass = other
    let fresh = try context.student("S2")
    fresh.schoolClass = schoolClass
    fresh.courses = [course]
    let discarded = try context.course(9)
    student.courses.insert(discarded)
    try context.delete(discarded)
    try context.delete(course)
    if processing { try context.processPendingChanges() }
    if processing { #expect(score.isDeleted && student.courses.isEmpty) }

    context.rollback()
    #expect(!context.hasChanges)
    #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
    #expect(student.studentName == "Ada")
    #expect(student.schoolClass === schoolClass)
    #expect(schoolClass.students == [student])
    #expect(other.students == [])
    #expect(student.courses == [course])
    #expect(course.students == [student])
    #expect(course.scores == [score])
    #expect(!course.isDeleted && !score.isDeleted && score.student === student)
    for gone in [fresh, discarded] { #expect(gone.managedObjectContext == nil && !gone.hasChanges) }
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
    try context.save()
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
    #expect(try stack.files() == before)
    // It goes on from there.
    try context.delete(course)
    student.schoolClass = other
    try context.save()
    #expect(try context.count(for: FetchRequest<Score>()) == 0)
    let later = stack.otherContext()
    #expect(try later.fetch(FetchRequest<Student>()).first?.schoolClass?.classId == 2)
  }

  @Test("8: after a reset the context is empty", arguments: Stack.types)
  func reset(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (student, schoolClass, course, _) = try school(stack)
    student.studentName = "Grace"
    let fresh = try context.student("S2")
    let discarded = try context.course(9)
    for gone in [course, discarded] { try context.delete(gone) }
    context.reset()
    #expect(!context.hasChanges)
    #expect(context.registeredObjects.isEmpty)
    for object in [student, schoolClass, course, fresh, discarded] {
      #expect(object.managedObjectContext == nil && !object.hasChanges)
    }
    #expect(throws: ObjectGraphError.self) { try student.setValue("Bob", forKey: "studentName") }
    try context.save()
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
    let again = try #require(try context.fetch(FetchRequest<Student>()).first)
    #expect(again !== student && again.objectID == student.objectID)
    #expect(again.studentName == "Ada")
    #expect(again.courses.count == 1)
    #expect(try context.studentCount() == 1)
  }
}
