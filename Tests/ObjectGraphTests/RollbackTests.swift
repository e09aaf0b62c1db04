import ObjectGraph
import TestSupport
import Testing

/// Semantic 8: rollback and reset.
@Suite struct RollbackTests {
  @Test("8: after a rollback everything is as after the last save", arguments: Stack.types)
  func rollback(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (student, schoolClass, course, score) = try context.school()
    let other = try context.schoolClass(2)
    try context.save()
    let (graph, before) = (try Graph(numbered: context), try stack.files())
    stack.clearStatements()

    student.studentName = "Grace"
    student.schoolClass = other
    let fresh = try context.student("S2", in: schoolClass, taking: [course])
    let discarded = try context.course(9)
    student.courses.insert(discarded)
    try context.delete(discarded)
    try context.delete(course)

    context.rollback()
    #expect(!context.hasChanges)
    #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
    #expect(try Graph(numbered: context) == graph)
    #expect(student.courses == [course] && !course.isDeleted && !score.isDeleted && score.student === student)
    for gone in [fresh, discarded] { #expect(gone.managedObjectContext == nil && !gone.hasChanges) }
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
    try context.save()
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
    #expect(try stack.files() == before)
  }

  @Test("8: after a reset the context is empty", arguments: Stack.types)
  func reset(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (student, schoolClass, course, _) = try context.school()
    stack.clearStatements()
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
  }
}
