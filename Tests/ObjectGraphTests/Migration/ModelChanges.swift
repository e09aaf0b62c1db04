import ObjectGraph
import TestSupport
import Testing

/// A change of a model that can be inferred, and its effect on the objects.
struct ModelChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The entities and properties that the change concerns. Two changes of the same one cannot be combined.
  let targets: Set<String>
  let edit: @Sendable ([EntityDescription]) -> [EntityDescription]
  let expect: @Sendable (inout Graph) -> Void

  init(
    _ description: String, _ targets: Set<String>,
    _ edit: @escaping @Sendable ([EntityDescription]) -> [EntityDescription],
    expect: @escaping @Sendable (inout Graph) -> Void = { _ in }
  ) {
    testDescription = description
    self.targets = targets
    self.edit = edit
    self.expect = expect
  }

  static let all = attributes + relationships + entities + indexes

  private static let attributes = [
    ModelChange("add an attribute", ["Students.grade"]) {
      $0.adding(AttributeDescription("grade", .integer16), to: "Students")
    } expect: {
      $0.set("grade", of: "Students", to: "NULL")
    },
    ModelChange("add attributes with defaults of every type", ["Courses+"]) {
      defaults.reduce($0) { entities, new in
        entities.adding(AttributeDescription(new.0, new.1, optional: false, default: new.2), to: "Courses")
      }
    } expect: {
      for (name, _, value) in defaults { $0.set(name, of: "Courses", to: "\(value)") }
    },
    ModelChange("remove an attribute", ["Students.studentPwd"]) {
      $0.removing("studentPwd", from: "Students")
    } expect: {
      $0.set("studentPwd", of: "Students", to: nil)
    },
    ModelChange("remove an attribute with an index", ["Students.studentId"]) {
      $0.removing("studentId", from: "Students").indexing("Students", by: [])
    } expect: {
      $0.set("studentId", of: "Students", to: nil)
    },
    ModelChange("optional becomes required with a default", ["Students.studentDes"]) {
      $0.replacing(
        "studentDes", of: "Students",
        by: AttributeDescription("studentDes", .string, optional: false, default: "it's none"))
    } expect: {
      $0.each("Students") { if $0["studentDes"] == "NULL" { $0["studentDes"] = "'it''s none'" } }
    },
    ModelChange("required becomes optional", ["Classes.classNames"]) {
      $0.replacing("classNames", of: "Classes", by: AttributeDescription("classNames", .string))
    },
    ModelChange("rename an attribute", ["Students.studentName"]) {
      $0.replacing(
        "studentName", of: "Students",
        by: AttributeDescription("fullName", .string, optional: false, renamedFrom: "studentName"))
    } expect: {
      $0.rename("studentName", of: "Students", to: "fullName")
    },
    ModelChange("two attributes swap their names", ["Students.studentDes", "Students.studentPwd"]) {
      $0.replacing("studentDes", of: "Students", by: AttributeDescription("swap", .string, renamedFrom: "studentDes"))
        .replacing(
          "studentPwd", of: "Students", by: AttributeDescription("studentDes", .string, renamedFrom: "studentPwd")
        )
        .replacing("swap", of: "Students", by: AttributeDescription("studentPwd", .string, renamedFrom: "studentDes"))
        // Without another change the models would be taken for the same.
        .adding(AttributeDescription("note", .string), to: "Students")
    } expect: {
      $0.set("note", of: "Students", to: "NULL")
      $0.rename("studentDes", of: "Students", to: "swap")
      $0.rename("studentPwd", of: "Students", to: "studentDes")
      $0.rename("swap", of: "Students", to: "studentPwd")
    },
    ModelChange("remove every attribute", Set(["Id", "Name", "Des", "Pwd"].map { "Students.student\($0)" })) {
      $0.removing("studentId", "studentName", "studentDes", "studentPwd", from: "Students")
        .indexing("Students", by: [])
    } expect: {
      for key in ["Id", "Name", "Des", "Pwd"] { $0.set("student\(key)", of: "Students", to: nil) }
    },
  ]

  /// Default values, also such that are hard to write as SQL.
  private static let defaults: [(String, AttributeType, Value)] = [
    ("a16", .integer16, -5), ("a32", .integer32, 70_000), ("a64", .integer64, .integer(.min)),
    ("aBool", .boolean, true), ("aDouble", .double, 0.1), ("aThird", .double, .double(1.0 / 3)),
    ("aTiny", .double, .double(.leastNonzeroMagnitude)),
    ("aFloat", .float, 2.5), ("aText", .string, "it's \"数学\""), ("aNul", .string, "a\0b"), ("aEmpty", .string, ""),
    ("aDate", .date, 12.25), ("aWhole", .date, 86_400.0), ("aBlob", .binary, .binary([0, 15, 16, 255])),
    ("aUUID", .uuid, .binary([UInt8](0..<16))), ("aURI", .uri, "http://example.org/?a=b"),
  ]

  private static let relationships = [
    ModelChange("add a to-one relationship with its inverse", ["Classes+", "Students.tutor"]) {
      $0.adding(RelationshipDescription("tutored", toMany: "Students", inverse: "tutor"), to: "Classes")
        .adding(RelationshipDescription("tutor", to: "Classes", inverse: "tutored"), to: "Students")
    } expect: {
      $0.set("tutored", of: "Classes", to: "")
      $0.set("tutor", of: "Students", to: "")
    },
    ModelChange("add a many-to-many relationship", ["Students.friends"]) {
      $0.adding(RelationshipDescription("friends", toMany: "Students", inverse: "friendOf"), to: "Students")
        .adding(RelationshipDescription("friendOf", toMany: "Students", inverse: "friends"), to: "Students")
    } expect: {
      for key in ["friends", "friendOf"] { $0.set(key, of: "Students", to: "") }
    },
    ModelChange("remove a to-one relationship with its inverse", ["Students.student_class"]) {
      $0.removing("class_students", from: "Classes").removing("student_class", from: "Students")
    } expect: {
      $0.set("class_students", of: "Classes", to: nil)
      $0.set("student_class", of: "Students", to: nil)
    },
    ModelChange("remove a many-to-many relationship", ["Students.student_course"]) {
      $0.removing("course_students", from: "Courses").removing("student_course", from: "Students")
    } expect: {
      $0.set("course_students", of: "Courses", to: nil)
      $0.set("student_course", of: "Students", to: nil)
    },
    ModelChange("rename a to-one relationship", ["Students.student_class"]) {
      $0.replacing(
        "class_students", of: "Classes",
        by: RelationshipDescription("class_students", toMany: "Students", inverse: "form")
      ).replacing(
        "student_class", of: "Students",
        by: RelationshipDescription("form", to: "Classes", inverse: "class_students", renamedFrom: "student_class"))
    } expect: {
      $0.rename("student_class", of: "Students", to: "form")
    },
    ModelChange("rename both ends of a many-to-many relationship", ["Students.student_course"]) {
      $0.replacing(
        "course_students", of: "Courses",
        by: RelationshipDescription("audience", toMany: "Students", inverse: "chosen", renamedFrom: "course_students")
      ).replacing(
        // The identifier at the other end is enough.
        "student_course", of: "Students",
        by: RelationshipDescription("chosen", toMany: "Courses", inverse: "audience"))
    } expect: {
      $0.rename("course_students", of: "Courses", to: "audience")
      $0.rename("student_course", of: "Students", to: "chosen")
    },
    ModelChange("to-one becomes to-many, and one-to-many many-to-many", ["Students.student_class"]) {
      $0.replacing(
        "student_class", of: "Students",
        by: RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students"))
    },
    ModelChange("a to-one relationship loses its inverse", ["Scores.score_student"]) {
      $0.removing("student_score", from: "Students")
        .replacing("score_student", of: "Scores", by: RelationshipDescription("score_student", to: "Students"))
    } expect: {
      $0.set("student_score", of: "Students", to: nil)
    },
  ]

  private static let entities = [
    ModelChange("add an entity before all others", ["Absences"]) {
      $0 + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date, optional: false)])]
    },
    ModelChange("rename an entity, which changes the order", ["Courses"]) {
      $0.map { entity in
        var entity = entity
        if entity.name == "Courses" { (entity.name, entity.renamingIdentifier) = ("Topics", "Courses") }
        for index in entity.relationships.indices where entity.relationships[index].destination == "Courses" {
          entity.relationships[index].destination = "Topics"
        }
        return entity
      }
    } expect: {
      $0.rename("Courses", to: "Topics")
    },
    ModelChange("remove an entity", ["Scores.score_student", "Scores.scoreId", "Scores.unique", "Courses"]) {
      $0.filter { $0.name != "Scores" }
        .removing("course_score", from: "Courses").removing("student_score", from: "Students")
    } expect: {
      $0.remove("Scores")
      $0.set("course_score", of: "Courses", to: nil)
      $0.set("student_score", of: "Students", to: nil)
    },
  ]

  private static let indexes = [
    ModelChange("add an index", ["Classes.index"]) {
      $0.indexing("Classes", by: [["classNames"], ["classNames", "classId"]])
    },
    ModelChange("remove an index", ["Students.studentId"]) { $0.indexing("Students", by: []) },
    ModelChange("add a uniqueness constraint", ["Courses.unique"]) {
      $0.changing("Courses") { $0.uniquenessConstraints = [["courseId"]] }
    },
    ModelChange("remove a uniqueness constraint", ["Scores.unique"]) {
      $0.changing("Scores") { $0.uniquenessConstraints = [] }
    },
  ]
}
