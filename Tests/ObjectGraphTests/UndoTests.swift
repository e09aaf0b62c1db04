import ObjectGraph
import TestSupport
import Testing

/// Semantic 25: undo and redo. ``UndoPropertyTests`` and ``RandomProgramTests`` have undo of any changes.
@Suite struct UndoTests {
  private let stack: Stack
  private let undoManager = UndoManager()
  private var context: ManagedObjectContext { stack.context }

  /// A class can be deleted, and its students keep their references to it.
  init() throws {
    let entities = Students.entities.changing("Classes") { $0.relationships[0].deleteRule = .noAction }
    stack = try Stack(model: ManagedObjectModel(entities))
    context.undoManager = undoManager
  }

  @Test("25: a saved deletion is taken back by a new object, to which references of rule No Action lead")
  func noAction() throws {
    let (student, schoolClass, _, _) = try context.school()
    undoManager.removeAllActions()
    let start = try Graph(numbered: context)
    try context.delete(schoolClass)
    try context.save()
    try context.undo()
    #expect(try Graph(numbered: context) == start)
    let successor = try #require(student.schoolClass)
    #expect(successor !== schoolClass && successor.isInserted)
    try context.save()
    #expect(successor.objectID != schoolClass.objectID)
    #expect(try Graph(numbered: stack.otherContext()) == start)
  }

  @Test("25: an object that was made and deleted before a save comes back after it")
  func forgottenBeforeSave() throws {
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

  @Test("25: a group is an event, or what is between begin and end")
  func groups() throws {
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
}
