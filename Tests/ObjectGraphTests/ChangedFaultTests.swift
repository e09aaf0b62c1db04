import ObjectGraph
import TestSupport
import Testing

/// Objects that were changed from the other end of a relationship and never read.
@Suite struct ChangedFaultTests {
  @Test("12, 13: an object that was not read leaves a class, which keeps its values, or stays deleted if it was")
  func letGo() throws {
    let entities = Students.entities.changing("Classes") { $0.relationships[0].deleteRule = .noAction }
    let stack = try Stack(model: try ManagedObjectModel(entities))
    let (student, second) = (try stack.context.student("S1"), try stack.context.student("S2"))
    let (gone, other) = (try stack.context.schoolClass(1), try stack.context.schoolClass(2))
    let left = try stack.context.schoolClass(3, "7C")
    (student.schoolClass, second.schoolClass) = (gone, left)
    try stack.context.save()
    try stack.context.delete(gone)
    try stack.context.save()

    let context = stack.otherContext()
    let copy = try #require(context.object(with: student.objectID) as? Student)
    // It points to what is not there any more, as rule No Action leaves it.
    copy.schoolClass = context.object(with: other.objectID) as? SchoolClass
    let secondCopy = try #require(context.object(with: second.objectID) as? Student)
    secondCopy.schoolClass = copy.schoolClass
    try context.save()
    let reading = stack.otherContext()
    let classes = try reading.fetch(FetchRequest<SchoolClass>(sortedBy: [SortKey("classId")]))
    #expect(classes.map(\.classNames) == ["7A", "7C"])
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [["S1", "S2"], []])

    // Taking hold of what is gone cannot be saved.
    copy.schoolClass = context.object(with: gone.objectID) as? SchoolClass
    #expect(throws: ObjectGraphError.self) { try context.save() }
    #expect(try stack.otherContext().count(for: FetchRequest<SchoolClass>()) == 2)
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
