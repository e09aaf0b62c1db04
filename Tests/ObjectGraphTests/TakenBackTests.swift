import ObjectGraph
import TestSupport
import Testing

/// Semantics 7, 11 and 17 of objects that were changed and set back: their values are the store's and change with it.
/// Random programs found these cases.
@Suite struct TakenBackTests {
  @Test(
    "17: a relationship that was set back follows the row, if its destination was replaced and deleted",
    arguments: Stack.types)
  func relationship(_ type: StoreType) throws {
    let stack = try Stack(type)
    let (former, latter) = (try stack.context.schoolClass(1), try stack.context.schoolClass(2))
    let student = try stack.context.student("S1", in: former)
    try stack.context.save()
    let other = stack.otherContext()
    let seen = try #require(try other.existingObject(with: student.objectID) as? Student)
    let held = seen.schoolClass
    seen.schoolClass = nil
    seen.schoolClass = held
    #expect(seen.isUpdated && !seen.hasPersistentChangedValues)
    student.schoolClass = latter
    try stack.context.delete(former)
    try other.mergeChanges(fromContextDidSave: try stack.context.saveAnnounced())
    #expect(seen.schoolClass?.classId == 2 && !seen.hasPersistentChangedValues && !other.hasChanges, "\(type)")
  }

  @Test(
    "11: an object that was set back and deleted elsewhere does not keep others from being refreshed",
    arguments: Stack.types)
  func gone(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1", "Ada")
    let stays = try stack.context.student("S2", "Eva")
    try stack.context.save()
    let other = stack.otherContext()
    let seen = try #require(try other.existingObject(with: student.objectID) as? Student)
    let rest = try #require(try other.existingObject(with: stays.objectID) as? Student)
    seen.studentName = "Bob"
    seen.studentName = "Ada"
    stays.studentName = "Eve"
    try stack.context.delete(student)
    try stack.context.save()
    try other.refreshAllObjects()
    #expect(rest.studentName == "Eve" && !other.hasChanges)
    #expect(try other.existingObject(with: student.objectID) == nil)
  }

  @Test(
    "7: an object that the rollback policy restores without its cascaded objects is announced as updated",
    arguments: Stack.types)
  func cascade(_ type: StoreType) throws {
    let stack = try Stack(type)
    let course = try stack.context.course(1)
    let student = try stack.context.student("S1", "Ada")
    _ = try stack.context.score(1, of: student, in: course)
    try stack.context.save()
    let other = stack.otherContext()
    let seen = try #require(try other.existingObject(with: student.objectID) as? Student)
    #expect(seen.scores.count == 1)
    try stack.context.delete(student)
    seen.studentName = "Eva"
    try other.save()
    stack.context.mergePolicy = .rollback
    let changes = try stack.context.saveAnnounced()
    #expect(changes.updated.contains(student.objectID) && changes.deleted.count == 1, "\(type)")
    try other.mergeChanges(fromContextDidSave: changes)
    #expect(seen.studentName == "Eva" && seen.scores.isEmpty && student.scores.isEmpty, "\(type)")
  }
}
