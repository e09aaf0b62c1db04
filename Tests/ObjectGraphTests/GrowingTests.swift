import ObjectGraph
import TestSupport
import Testing

/// Large relationships: to make, change and save one takes time in proportion to its size.
@Suite(.serialized) struct GrowingTests {
  @Test("12: twice as many students of one class take about twice as long")
  func toMany() throws {
    func grow(_ count: Int) throws {
      let stack = try Stack(.inMemory)
      let schoolClass = try stack.context.schoolClass(1)
      for number in 0..<count { try stack.context.student("S\(number)").schoolClass = schoolClass }
      #expect(schoolClass.students.count == count)
      try stack.context.save()
      #expect(schoolClass.students.count == count && !stack.context.hasChanges)
    }
    // A copy of the set for each student would make it 4 times as long.
    #expect(try WorkGrowth.ratio(enough: 3.2, of: { try grow(8_000) }, to: { try grow(16_000) }) < 3.2)
  }

  @Test("12: many to many grows, shrinks, is undone and saved in proportion, too")
  func manyToMany() throws {
    func grow(_ count: Int) throws {
      let stack = try Stack(.inMemory)
      let context = stack.context
      let course = try context.course(1)
      let relationship = try course.entity.relationship("course_students")
      let students = try (0..<count).map { try context.student("S\($0)") }
      for student in students { try course.add(student, to: relationship) }
      try context.save()
      #expect(course.students.count == count)
      context.undoManager = ObjectGraph.UndoManager()
      for student in students { try course.remove(student, from: relationship) }
      #expect(course.students.isEmpty)
      try context.undoManager?.undo()
      #expect(course.students.count == count && !context.hasChanges)
    }
    #expect(try WorkGrowth.ratio(enough: 3.2, of: { try grow(3_000) }, to: { try grow(6_000) }) < 3.2)
  }
}
