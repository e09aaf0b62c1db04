import ObjectGraph
import TestSupport
import Testing

/// Semantic 12: what one side of a relationship says, the other one says at once.
@Suite struct InverseTests {
  @Test("12: one to many", arguments: Stack.types)
  func oneToMany(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (ada, bob) = (try context.student("S1"), try context.student("S2"))
    let (first, second) = (try context.schoolClass(1), try context.schoolClass(2))
    second.students = [ada, bob]
    try context.save()
    #expect(second.students == [ada, bob] && first.students == [])
    let other = stack.otherContext()
    let classes = try other.fetch(FetchRequest<SchoolClass>(sortedBy: [SortKey("classId")]))
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [[], ["S1", "S2"]])
    // Moved without having looked at who is in the classes.
    let student = try #require(try other.students().first)
    let third = stack.otherContext()
    let moved = try #require(third.object(with: student.objectID) as? Student)
    moved.schoolClass = third.object(with: classes[0].objectID) as? SchoolClass
    #expect(moved.schoolClass?.students == [moved])
    #expect((third.object(with: classes[1].objectID) as? SchoolClass)?.students.map(\.studentId) == ["S2"])
    try third.save()
    try other.refreshAllObjects()
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [["S1"], ["S2"]])
  }

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
