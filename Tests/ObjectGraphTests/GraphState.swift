import ObjectGraph
import TestSupport

/// All that a context's students, classes, courses and scores say, by the numbers that the tests give them and not by
/// IDs; each relationship as both of its sides say it.
struct GraphState: Equatable, CustomStringConvertible {
  private let lines: [String]

  init(_ context: ManagedObjectContext) throws {
    var lines: [String] = []
    for student in try context.fetch(FetchRequest<Student>()) {
      lines.append(
        """
        student \(student.studentId) \(student.studentName) \(student.studentDes ?? "-") \
        class \(student.schoolClass.map { "\($0.classId)" } ?? "-") \
        courses \(student.courses.map(\.courseId).sorted()) scores \(student.scores.map(\.scoreId).sorted())
        """)
    }
    for schoolClass in try context.fetch(FetchRequest<SchoolClass>()) {
      lines.append(
        "class \(schoolClass.classId) \(schoolClass.classNames) \(schoolClass.students.map(\.studentId).sorted())")
    }
    for course in try context.fetch(FetchRequest<Course>()) {
      lines.append(
        """
        course \(course.courseId) \(course.courseName) students \(course.students.map(\.studentId).sorted()) \
        scores \(course.scores.map(\.scoreId).sorted())
        """)
    }
    for score in try context.fetch(FetchRequest<Score>()) {
      lines.append(
        """
        score \(score.scoreId) \(score.score) \(score.semester) of \(score.student?.studentId ?? "-") \
        in \(score.course.map { "\($0.courseId)" } ?? "-")
        """)
    }
    self.lines = lines.sorted()
  }

  var description: String { lines.joined(separator: "\n") }

  /// What differs, for messages.
  func difference(from other: GraphState) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    return "here only: \(own.subtracting(others).sorted()), there only: \(others.subtracting(own).sorted())"
  }
}
