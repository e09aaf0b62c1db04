import StorageContract

/// The data model of a school: students with a class, courses, and at most one score per course and semester.
enum School {
  static let students = CollectionID(0)
  static let classes = CollectionID(1)
  static let courses = CollectionID(2)
  static let scores = CollectionID(3)
  static let collections = ["students", "classes", "courses", "scores", "links"]

  static let studentClass = RelationshipID(0)
  static let studentCourses = RelationshipID(1)
  static let scoreStudent = RelationshipID(2)
  static let scoreCourse = RelationshipID(3)

  /// Returns the schema of a school. A class with students cannot be deleted. A score is deleted with its student or
  /// its course.
  static func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        RecordRelationship(
          "student_class", from: students, to: classes, destinations: .one, sources: .many,
          deleteRule: .nullify, inverseDeleteRule: .deny),
        RecordRelationship("student_courses", from: students, to: courses),
        RecordRelationship(
          "score_student", from: scores, to: students, destinations: .one, inverseDeleteRule: .cascade),
        RecordRelationship("score_course", from: scores, to: courses, destinations: .one, inverseDeleteRule: .cascade),
      ], links: CollectionID(4))
  }

  static let semesters = ["2025 autumn", "2026 spring"]

  /// Returns the number of classes for a number of students, about 30 students per class.
  static func classCount(_ students: Int) -> Int { max(2, students / 30) }
  /// Returns the number of courses for a number of students. Each student takes two, so a course has about 50 students.
  static func courseCount(_ students: Int) -> Int { max(4, students / 25) }

  static func score(_ key: Int64, _ mark: Double, _ semester: String) -> Record {
    Record(id: key, name: "", group: semester, score: mark, modified: 0, payload: [])
  }

  /// Returns the initial content of a store: students, each with a class, two courses, and a score in each course.
  static func fixture(_ students: any RecordSource) throws -> Fixture {
    let (classes, courses) = (classCount(students.count), courseCount(students.count))
    var scores: [Record] = []
    var links: [Link] = []
    for (index, student) in students.all.enumerated() {
      // A constant seed makes the links equal in all runs.
      var random = RandomStream(seed: 0, .order, index)
      links.append(Link(student.id, to: Int64(random.below(classes)) + 1, by: studentClass))
      let first = random.below(courses)
      for course in [first, (first + 1 + random.below(courses - 1)) % courses].map({ Int64($0) + 1 }) {
        let score = score(Int64(scores.count) + 1, Double(random.below(101)), semesters[0])
        links.append(Link(student.id, to: course, by: studentCourses))
        links.append(Link(score.id, to: student.id, by: scoreStudent))
        links.append(Link(score.id, to: course, by: scoreCourse))
        scores.append(score)
      }
    }
    func named(_ name: String, _ count: Int) -> RecordList {
      RecordList(
        (1...count).map {
          Record(id: Int64($0), name: "\(name) \($0)", group: "", score: 0, modified: 0, payload: [])
        })
    }
    return Fixture(
      [students, named("class", classes), named("course", courses), RecordList(scores)], schema: try schema(),
      links: links)
  }
}
