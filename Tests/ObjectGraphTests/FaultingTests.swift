import ObjectGraph
import TestSupport
import Testing

/// Semantic 11: faults, and the rows behind them.
@Suite struct FaultingTests {
  @Test("11: a refresh turns an object into a fault, whose row is in the cache until the object is let go of")
  func refreshing() async {
    // In a separate process, where no other test takes memory.
    await #expect(processExitsWith: .success) {
      let stack = try Stack()
      // Blocks of this size are always given back to the system at once.
      let size = 40 << 20
      for number in 0..<2 {
        let student = try stack.context.student("S\(number)")
        student.studentDes = String(repeating: "x", count: size)
      }
      try stack.context.save()
      var students = try stack.context.fetch(FetchRequest<Student>())
      for student in students { try #require(student.studentDes?.utf8.count == size) }
      let full = try kernelFigure("RssAnon", in: "status")
      for student in students { try stack.context.refresh(student, mergeChanges: false) }
      try #require(students.allSatisfy { $0.isFault })
      stack.clearStatements()
      try #require(students[1].studentDes?.utf8.count == size)
      try #require(stack.selects.isEmpty)
      students = []
      try #require(try (full - kernelFigure("RssAnon", in: "status")) * 1_024 > size * 3 / 2)
      students = try stack.context.fetch(FetchRequest<Student>())
      try #require(students[1].studentDes?.utf8.count == size && stack.selects.count == 1)
    }
  }

  @Test("11: a refresh without merging forgets changes, one with merging keeps them", arguments: Stack.types)
  func refreshingChanges(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1")
    student.studentDes = "old"
    try stack.context.save()
    let other = stack.otherContext()
    let theirs = try #require(try other.fetch(FetchRequest<Student>()).first)
    theirs.studentDes = "theirs"
    try other.save()
    student.studentPwd = "ours"
    try stack.context.refresh(student, mergeChanges: true)
    #expect(student.studentDes == "theirs" && student.studentPwd == "ours" && student.isUpdated)
    try stack.context.refresh(student, mergeChanges: false)
    #expect(student.isFault && !student.isUpdated && !stack.context.hasChanges)
    #expect(student.studentDes == "theirs" && student.studentPwd == nil)
    // A new one stays as it is.
    let fresh = try stack.context.student("S2")
    try stack.context.refresh(fresh, mergeChanges: false)
    #expect(fresh.isInserted && fresh.studentId == "S2")
    try stack.context.save()
    #expect(try stack.otherContext().studentCount() == 2)
  }

  @Test("11: a refresh takes the other ends of relationships back, too", arguments: Stack.types)
  func refreshingRelationships(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let (student, first, music, score) = try context.school()
    let (second, physics) = (try context.schoolClass(2), try context.course(2))
    try context.save()
    student.schoolClass = second
    student.courses = [physics]
    try context.refresh(student, mergeChanges: false)
    #expect(student.isFault && !context.hasChanges)
    #expect(student.schoolClass === first && first.students == [student] && second.students == [])
    #expect(student.courses == [music] && music.students == [student] && physics.students == [])
    // The student's value stays after any change of the class.
    student.schoolClass = second
    try context.refresh(second, mergeChanges: false)
    #expect(student.schoolClass === second && second.students == [student] && first.students == [])
    // The deletion of the student has let go of the class and deleted the score.
    student.schoolClass = first
    try context.delete(student)
    try context.processPendingChanges()
    #expect(first.students == [] && music.students == [] && score.isDeleted)
    try context.refresh(student, mergeChanges: false)
    try context.refresh(score, mergeChanges: false)
    #expect(student.schoolClass === first && first.students == [student] && music.students == [student])
    #expect(student.scores == [score] && score.student === student)
    try context.save()
    let later = stack.otherContext()
    let stored = try #require(try later.fetch(FetchRequest<Student>()).first)
    #expect(stored.schoolClass?.classId == 1 && stored.courses.map(\.courseId) == [1] && stored.scores.count == 1)
  }

  @Test("11: a fault whose row is gone is a deleted object without values, or an error", arguments: Stack.types)
  func inaccessible(_ type: StoreType) throws {
    let stack = try Stack(type)
    let ids = try (1...2).map { try stack.context.savedStudent("S\($0)").objectID }
    let context = stack.otherContext()
    let faults = ids.map { context.object(with: $0) }
    for student in try stack.context.fetch(FetchRequest<Student>()) { try stack.context.delete(student) }
    try stack.context.save()
    #expect(try faults[0].value(forKey: "studentId") == nil)
    #expect(faults[0].isDeleted)
    #expect(throws: ObjectGraphError.self) { try faults[0].setValue("S9", forKey: "studentId") }
    // It is not written again, nor does it keep others from being saved.
    _ = try context.student("S3")
    try context.delete(faults[0])
    try context.save()
    #expect(try stack.otherContext().fetch(FetchRequest<Student>()).map(\.studentId) == ["S3"])
    try context.refreshAllObjects()
    #expect(faults[0].isFault)

    context.shouldDeleteInaccessibleFaults = false
    let error = #expect(throws: ObjectGraphError.self) { try faults[1].value(forKey: "studentId") }
    #expect(error?.description == "\(ids[1]) is not in its store any more")
    #expect(faults[1].isFault)
    // A property cannot throw: the next save does, once.
    #expect((faults[1] as? Student)?.studentId == "")
    #expect(throws: ObjectGraphError.self) { try context.save() }
    try context.save()
  }
}
