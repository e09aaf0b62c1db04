import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 25: undo and redo.
@Suite struct UndoTests {
  /// A stack whose context records.
  private func recordingStack(_ model: ManagedObjectModel? = nil) throws -> Stack {
    let stack = try Stack(model: model)
    stack.context.undoManager = UndoManager()
    return stack
  }

  /// A saved student in a class and a course, with a score; nothing to undo.
  private func savedStudent(_ stack: Stack) throws -> Student {
    let context = stack.context
    let student = try context.student("S1", "Ada")
    let course = try context.course(1)
    student.schoolClass = try context.schoolClass(1)
    student.courses = [course]
    _ = try context.score(1, of: student, in: course)
    try context.save()
    context.undoManager?.removeAllActions()
    return student
  }

  @Test("25: undo of a deletion reverses its delete rules, on both sides of relationships")
  func deleteRules() throws {
    let stack = try recordingStack()
    let context = stack.context
    let student = try savedStudent(stack)
    let score = try #require(student.scores.first)
    let start = try Graph(numbered: context)
    try context.delete(student)
    try context.processPendingChanges()
    let deleted = try Graph(numbered: context)
    #expect(score.isDeleted)
    #expect(try #require(context.fetch(FetchRequest<Course>()).first).students.isEmpty)
    try context.undo()
    #expect(!student.isDeleted && !score.isDeleted)
    #expect(try Graph(numbered: context) == start)
    #expect(!context.hasChanges)
    try context.redo()
    #expect(try Graph(numbered: context) == deleted)
    try context.save()
    #expect(try Graph(numbered: stack.otherContext()) == deleted)
  }

  @Test("25: after a save, undo makes new unsaved changes")
  func acrossSaves() throws {
    let stack = try recordingStack()
    let context = stack.context
    let student = try savedStudent(stack)
    let start = try Graph(numbered: context)
    student.studentName = "Zoe"
    try context.save()
    let new = try context.student("S2")
    new.schoolClass = student.schoolClass
    try context.save()
    #expect(!new.objectID.isTemporary)

    try context.undo()
    #expect(new.isDeleted)
    try context.undo()
    #expect(student.studentName == "Ada" && student.isUpdated)
    #expect(try Graph(numbered: context) == start)
    #expect(try stack.otherContext().studentCount() == 2)
    try context.save()
    #expect(try Graph(numbered: stack.otherContext()) == start)
    try context.redo()
    try context.redo()
    try context.save()
    #expect(try stack.otherContext().studentCount() == 2)
  }

  @Test("25: a saved deletion is taken back by a new object, which earlier steps reach")
  func savedDeletion() throws {
    let stack = try recordingStack()
    let context = stack.context
    let student = try savedStudent(stack)
    let schoolClass = try #require(student.schoolClass)
    var states: [Graph] = []
    for edit in [{ student.studentName = "Zoe" }, { student.schoolClass = nil }] as [() -> Void] {
      states.append(try Graph(numbered: context))
      edit()
      try context.processPendingChanges()
    }
    states.append(try Graph(numbered: context))
    try context.delete(student)
    try context.save()
    let end = try Graph(numbered: context)
    #expect(student.managedObjectContext == nil)
    func undoAll() throws {
      for state in states.reversed() {
        try context.undo()
        #expect(try Graph(numbered: context) == state)
      }
    }

    try undoAll()
    let successor = try #require(schoolClass.students.first)
    #expect(successor !== student && successor.isInserted && successor.studentName == "Ada")
    try context.save()
    #expect(successor.objectID != student.objectID)
    #expect(try Graph(numbered: stack.otherContext()) == states[0])
    for state in states.dropFirst() + [end] {
      try context.redo()
      #expect(try Graph(numbered: context) == state)
    }
    try context.save()
    try undoAll()
    try context.save()
    #expect(try Graph(numbered: stack.otherContext()) == states[0])
  }

  @Test("25: an object that was made and deleted before a save comes back after it")
  func forgottenBeforeSave() throws {
    let stack = try recordingStack()
    let context = stack.context
    let student = try context.student("S1")
    let course = try context.course(1)
    let score = try context.score(1, of: student, in: course)
    try context.processPendingChanges()
    let whole = try Graph(numbered: context)
    try context.delete(score)
    try context.save()
    try context.undo()
    // The student has another ID than when the score was deleted.
    #expect(try Graph(numbered: context) == whole)
    try context.save()
    #expect(try Graph(numbered: stack.otherContext()) == whole)
    try context.redo()
    try context.save()
    #expect(try stack.otherContext().count(for: FetchRequest<Score>()) == 0)
  }

  @Test("25: rule No Action: a reference to a deleted object leads to its successor")
  func noAction() throws {
    let entities = Students.entities.changing("Classes") { $0.relationships[0].deleteRule = .noAction }
    let stack = try recordingStack(try ManagedObjectModel(entities))
    let context = stack.context
    let student = try savedStudent(stack)
    let start = try Graph(numbered: context)
    try context.delete(try #require(student.schoolClass))
    try context.save()
    try context.undo()
    #expect(try Graph(numbered: context) == start)
    try context.save()
    #expect(try Graph(numbered: stack.otherContext()) == start)
  }

  @Test("25: a group is an event, or what is between begin and end")
  func groups() throws {
    let stack = try recordingStack()
    let context = stack.context
    let undoManager = try #require(context.undoManager)
    let student = try context.student("S1", "A")
    try context.processPendingChanges()
    try undoManager.beginUndoGrouping()
    student.studentName = "B"
    try context.processPendingChanges()
    try undoManager.beginUndoGrouping()
    student.studentName = "C"
    try undoManager.endUndoGrouping()
    student.studentName = "D"
    #expect(throws: ObjectGraphError.self) { try undoManager.undo() }
    try undoManager.endUndoGrouping()
    #expect(throws: ObjectGraphError.self) { try undoManager.endUndoGrouping() }
    student.studentName = "E"
    // The last changes are an event, even if it was not ended.
    try context.undo()
    #expect(student.studentName == "D")
    try context.undo()
    #expect(student.studentName == "A")
    try context.redo()
    #expect(student.studentName == "D")
    // A new change removes the groups to redo.
    student.studentName = "F"
    #expect(!undoManager.canRedo)
    try context.redo()
    #expect(student.studentName == "F")
  }

  @Test("25: rollback and reset forget all groups")
  func forgotten() throws {
    let stack = try recordingStack()
    let context = stack.context
    let undoManager = try #require(context.undoManager)
    let student = try savedStudent(stack)
    student.studentName = "G"
    try context.processPendingChanges()
    try context.undo()
    #expect(undoManager.canRedo)
    student.studentName = "H"
    context.rollback()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    student.studentName = "I"
    context.reset()
    #expect(!undoManager.canUndo)
  }
}
