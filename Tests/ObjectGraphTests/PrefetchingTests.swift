import ObjectGraph
import TestSupport
import Testing

/// Semantic 27: the destinations of relationships are read in one statement.
@Suite struct PrefetchingTests {
  /// The number of SELECTs for a fetch of students and a use of each.
  private func selects(_ stack: Stack, prefetching paths: [String], _ body: (Student) throws -> Void) throws -> Int {
    let request = FetchRequest<Student>()
    request.relationshipKeyPathsForPrefetching = paths
    let context = stack.otherContext()
    stack.clearStatements()
    for student in try context.fetch(request) { try body(student) }
    // Nothing went wrong in an accessor, which cannot throw.
    try context.save()
    return stack.selects.count
  }

  @Test("27: 1,000 students and their classes are 2 SELECTs with prefetching, and 1,001 without (fact 14)")
  func manyToOne() throws {
    let stack = try Stack()
    for number in 0..<1_000 {
      try stack.context.student("S\(number)").schoolClass = try stack.context.schoolClass(number)
    }
    try stack.context.save()
    func walk(_ student: Student) { #expect("S\(student.schoolClass?.classId ?? -1)" == student.studentId) }
    #expect(try selects(stack, prefetching: ["student_class"], walk) == 2)
    #expect(try selects(stack, prefetching: [], walk) == 1_001)
  }

  @Test("27: to-many relationships and what they lead to are one SELECT each, steps of a path after one another")
  func toMany() throws {
    let stack = try Stack()
    let context = stack.context
    let courses = try (0..<5).map { try context.course($0, "Course \($0)") }
    for number in 0..<50 {
      let student = try context.student("S\(number)")
      // Some have none, which has to be known, too.
      student.courses = Set(courses.prefix(number % 6))
      for (index, course) in courses.prefix(number % 6).enumerated() {
        _ = try context.score(number * 10 + index, of: student, in: course)
      }
    }
    try context.save()
    func walkCourses(_ student: Student) {
      let expected = Set((0..<5).prefix((Int(student.studentId.dropFirst()) ?? 0) % 6).map { "Course \($0)" })
      #expect(Set(student.courses.map(\.courseName)) == expected)
    }
    func walkScores(_ student: Student) {
      #expect(Set(student.scores.compactMap(\.course?.courseName)) == Set(student.courses.map(\.courseName)))
    }
    // Students, pairs, courses.
    #expect(try selects(stack, prefetching: ["student_course"], walkCourses) == 3)
    // The coordinator's cache releases the rows.
    stack.context.reset()
    // Students, scores, courses, pairs.
    #expect(try selects(stack, prefetching: ["student_score.score_course", "student_course"], walkScores) == 4)
  }

  @Test("27: what has not been saved is as it was, and what it leads to is prefetched as well")
  func pendingChanges() throws {
    let stack = try Stack()
    let (a, b) = (try stack.context.course(1, "A"), try stack.context.course(2, "B"))
    for number in 0..<3 { try stack.context.student("S\(number)").courses = [a] }
    try stack.context.save()
    let context = stack.otherContext()
    let request = FetchRequest<Student>(sortedBy: [SortKey("studentId")])
    let students = try context.fetch(request)
    let (otherA, otherB) = (context.object(with: a.objectID) as? Course, context.object(with: b.objectID) as? Course)
    let new = try context.student("S3", in: context.schoolClass(7, "New"))
    students[0].courses.insert(try #require(otherB))
    students[1].courses.remove(try #require(otherA))
    request.relationshipKeyPathsForPrefetching = ["student_course", "student_class"]
    _ = try context.fetch(request)
    stack.clearStatements()
    #expect(students.map { Set($0.courses.map(\.courseName)) } == [["A", "B"], [], ["A"]])
    #expect(new.schoolClass?.classNames == "New" && new.courses.isEmpty)
    #expect(stack.statements.isEmpty)
  }
}
