import ObjectGraph
import TestSupport
import Testing

/// Semantic 15: values that must be unique. A student has one score in a course and semester.
@Suite struct UniquenessTests {
  /// A student with a score in a course.
  private struct School {
    let stack: Stack
    let student: Student
    let course: Course
    let score: Score

    init(_ type: StoreType, _ policy: MergePolicy = .error) throws {
      stack = try Stack(type)
      (student, _, course, score) = try stack.context.school()
      score.score = 50
      try stack.context.save()
      stack.context.mergePolicy = policy
    }

    /// ID, points and semester of the scores in the store.
    func stored() throws -> [String] {
      let context = try stack.forgetful()
      let scores = try context.fetch(FetchRequest<Score>(sortedBy: [SortKey("scoreId")]))
      return scores.map { "\($0.scoreId) \($0.score) \($0.semester)" }
    }
  }

  @Test("15: the same student, course and semester again is refused, another semester is not", arguments: Stack.types)
  func refused(_ type: StoreType) throws {
    let school = try School(type)
    let context = school.stack.context
    let before = try school.stack.files()
    let second = try context.score(2, of: school.student, in: school.course)
    for _ in 1...2 {
      let error = #expect(throws: ObjectGraphError.self) { try context.save() }
      let conflicts = try #require(error?.constraintConflicts)
      #expect(conflicts.map(\.conflictingObjectIDs) == [[second.objectID]] && second.objectID.isTemporary)
      #expect(conflicts.map(\.databaseObjectID) == [school.score.objectID])
      #expect(conflicts.map(\.constraint) == [["score_student", "score_course", "semester"]])
      #expect(try #require(error).description.contains("Scores (score_student, score_course, semester)"))
      // A database has taken a key for it.
      #expect(try type == .sqlite || school.stack.files() == before)
      #expect(try second.isInserted && school.stored() == ["1 50.0 2026-1"])
    }
    second.semester = "2026-2"
    try context.save()
    #expect(try school.stored() == ["1 50.0 2026-1", "2 0.0 2026-2"])
  }

  @Test(
    "15: under a merge policy a new one makes way, and a changed one gives up its change or the other one goes",
    arguments: Stack.types, MergePolicy.allCases.filter { $0 != .error })
  func policies(_ type: StoreType, _ policy: MergePolicy) throws {
    let isOurs = policy.isOurs
    let school = try School(type, policy)
    let context = school.stack.context
    let second = try context.score(2, of: school.student, in: school.course)
    second.score = 99
    try context.save()
    #expect(second.managedObjectContext == nil && !context.hasChanges)
    #expect(try school.stored() == [isOurs ? "2 99.0 2026-1" : "1 50.0 2026-1"])
    #expect(school.score.scoreId == (isOurs ? 2 : 1) && school.score.score == (isOurs ? 99 : 50))
    #expect(school.student.scores == [school.score] && school.course.scores == [school.score])
    let fresh = try school.stack.forgetful()
    #expect(try fresh.fetch(FetchRequest<Student>()).map(\.scores.count) == [1])

    let third = try context.score(3, of: school.student, in: school.course, semester: "2026-2")
    try context.save()
    third.semester = "2026-1"
    try context.save()
    #expect(try school.stored() == (isOurs ? ["3 0.0 2026-1"] : ["1 50.0 2026-1", "3 0.0 2026-2"]))
    #expect(school.student.scores == (isOurs ? [third] : [school.score, third]))
    #expect(!context.hasChanges)
  }
}
