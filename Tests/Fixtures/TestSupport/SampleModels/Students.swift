import ObjectGraph

/// The student management model: four entities, all cardinalities, three delete rules.
public enum Students {
  public static func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities) }

  public static let entities: [EntityDescription] = [
    EntityDescription(
      "Students", class: Student.self,
      attributes: [
        AttributeDescription("studentId", .string, optional: false),
        AttributeDescription("studentName", .string, optional: false, length: 1...100),
        AttributeDescription("studentDes", .string),
        AttributeDescription("studentPwd", .string),
      ],
      relationships: [
        RelationshipDescription("student_class", to: "Classes", inverse: "class_students"),
        RelationshipDescription("student_course", toMany: "Courses", inverse: "course_students"),
        // The notes have this as to-one, which contradicts many courses.
        RelationshipDescription("student_score", toMany: "Scores", inverse: "score_student", deleteRule: .cascade),
      ],
      indexes: [["studentId"]]),
    EntityDescription(
      "Classes", class: SchoolClass.self,
      attributes: [
        AttributeDescription("classId", .integer64, optional: false),
        AttributeDescription("classNames", .string, optional: false),
      ],
      relationships: [
        RelationshipDescription("class_students", toMany: "Students", inverse: "student_class", deleteRule: .deny)
      ]),
    EntityDescription(
      "Courses", class: Course.self,
      attributes: [
        AttributeDescription("courseId", .integer64, optional: false),
        AttributeDescription("courseName", .string, optional: false),
      ],
      relationships: [
        RelationshipDescription("course_students", toMany: "Students", inverse: "student_course"),
        RelationshipDescription("course_score", toMany: "Scores", inverse: "score_course", deleteRule: .cascade),
      ]),
    EntityDescription(
      "Scores", class: Score.self,
      attributes: [
        AttributeDescription("scoreId", .integer64, optional: false),
        AttributeDescription("score", .double, optional: false, default: 0.0, range: 0...100),
        AttributeDescription("semester", .string, optional: false),
      ],
      relationships: [
        RelationshipDescription("score_student", to: "Students", inverse: "student_score"),
        RelationshipDescription("score_course", to: "Courses", inverse: "course_score"),
      ],
      uniquenessConstraints: [["score_student", "score_course", "semester"]]),
  ]
}

public final class Student: ManagedObject {
  @Managed("studentId") public var studentId: String
  @Managed("studentName") public var studentName: String
  @Managed("studentDes") public var studentDes: String?
  @Managed("studentPwd") public var studentPwd: String?
  @ManagedToOne("student_class") public var schoolClass: SchoolClass?
  @ManagedToMany("student_course") public var courses: Set<Course>
  @ManagedToMany("student_score") public var scores: Set<Score>
}

public final class SchoolClass: ManagedObject {
  @Managed("classId") public var classId: Int
  @Managed("classNames") public var classNames: String
  @ManagedToMany("class_students") public var students: Set<Student>
}

public final class Course: ManagedObject {
  @Managed("courseId") public var courseId: Int
  @Managed("courseName") public var courseName: String
  @ManagedToMany("course_students") public var students: Set<Student>
  @ManagedToMany("course_score") public var scores: Set<Score>
}

public final class Score: ManagedObject {
  @Managed("scoreId") public var scoreId: Int
  @Managed("score") public var score: Double
  @Managed("semester") public var semester: String
  @ManagedToOne("score_student") public var student: Student?
  @ManagedToOne("score_course") public var course: Course?
}
