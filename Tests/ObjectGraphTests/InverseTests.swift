import ObjectGraph
import TestSupport
import Testing

/// Semantic 12: what one side of a relationship says, the other one says at once.
@Suite struct InverseTests {
  @Test("12: objects of other contexts, and deleted ones, are refused")
  func refused() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    let (schoolClass, course) = (try stack.context.schoolClass(1), try stack.context.course(1))
    try stack.context.save()
    let other = stack.otherContext()
    let foreign = other.object(with: schoolClass.objectID)
    #expect(throws: ObjectGraphError.self) { try student.setValue(foreign, forKey: "student_class") }
    try stack.context.delete(schoolClass)
    #expect(throws: ObjectGraphError.self) { try student.setValue(schoolClass, forKey: "student_class") }
    #expect(student.schoolClass == nil && student.courses == [] && !student.hasChanges)
    // One whose row somebody else has deleted is refused when that is noticed: here at once, as the other end must be
    // looked at, and for many to many by the save.
    try other.delete(other.object(with: course.objectID))
    try other.save()
    let third = stack.otherContext()
    let here = try #require(third.object(with: student.objectID) as? Student)
    let gone = third.object(with: course.objectID)
    try here.setValue(Set([gone]), forKey: "student_course")
    for _ in 1...2 { #expect(throws: ObjectGraphError.self) { try third.save() } }
    #expect(gone.isFault || gone.isDeleted)
    here.courses = []
    try third.save()
    #expect(!third.hasChanges && here.courses == [])
  }

  @Test("12: an object that is gone is refused at once where its other relationship must be looked at")
  func refusedAtOnce() throws {
    let stack = try Stack(model: try Tangle.model())
    let (node, key) = (try stack.context.insert(Tangle.nodes), try stack.context.insert(Tangle.keys))
    for object in [node, key] { try object.setValue(1, forKey: "number") }
    try stack.context.save()
    try stack.context.delete(key)
    try stack.context.save()
    let context = stack.otherContext()
    let (here, gone) = (context.object(with: node.objectID), context.object(with: key.objectID))
    #expect(throws: ObjectGraphError.self) { try here.setValue(gone, forKey: "key") }
    #expect(!context.hasChanges)
    #expect(try here.value(forKey: "key") == nil)
  }
}
