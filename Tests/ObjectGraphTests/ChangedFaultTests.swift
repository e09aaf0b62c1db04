import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Objects that were changed from the other end of a relationship and never read.
@Suite struct ChangedFaultTests {
  @Test("13: what is let go of after it was deleted elsewhere does not come back")
  func letGo() throws {
    let entities = Students.entities.changing("Classes") { $0.relationships[0].deleteRule = .noAction }
    let stack = try Stack(model: try ManagedObjectModel(entities))
    let student = try stack.context.student("S1")
    let (gone, other) = (try stack.context.schoolClass(1), try stack.context.schoolClass(2))
    student.schoolClass = gone
    try stack.context.save()
    try stack.context.delete(gone)
    try stack.context.save()

    let context = stack.otherContext()
    let copy = try #require(context.object(with: student.objectID) as? Student)
    // It points to what is not there any more, as rule No Action leaves it.
    copy.schoolClass = context.object(with: other.objectID) as? SchoolClass
    try context.save()
    let reading = stack.otherContext()
    let classes = try reading.fetch(FetchRequest<SchoolClass>())
    #expect(classes.map(\.classNames) == ["7A"] && classes.map { $0.students.map(\.studentId) } == [["S1"]])

    // Taking hold of what is gone cannot be saved.
    copy.schoolClass = context.object(with: gone.objectID) as? SchoolClass
    #expect(throws: ObjectGraphError.self) { try context.save() }
    #expect(try stack.otherContext().count(for: FetchRequest<SchoolClass>()) == 1)
  }

  @Test("17: a merge keeps unsaved changes of a relationship of an object that was not read")
  func merge() throws {
    let stack = try Stack()
    let (student, schoolClass) = (try stack.context.student("S1"), try stack.context.schoolClass(1))
    try stack.context.save()
    let context = stack.otherContext()
    let copy = try #require(context.object(with: student.objectID) as? Student)
    let copiedClass = try #require(context.object(with: schoolClass.objectID) as? SchoolClass)
    copy.schoolClass = copiedClass
    #expect(copiedClass.isFault)
    schoolClass.classNames = "7B"
    try context.mergeChanges(fromContextDidSave: try stack.context.saveAnnounced())
    #expect(copiedClass.classNames == "7B")
    #expect(copiedClass.students == [copy])
  }
}

extension ManagedObjectContext {
  /// Saves, and returns the changes that other contexts merge.
  func saveAnnounced() throws -> SaveChanges { try #require(try saveAnnouncedIfAny()) }

  /// Saves, and returns the changes if anything was left to write.
  func saveAnnouncedIfAny() throws -> SaveChanges? {
    let log = SavedChanges(self)
    try save()
    return log.all.last
  }
}
