import ObjectGraph
import TestSupport
import Testing

/// A change of a model and, if a migration can infer it, its effect on the objects.
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

  /// The removal of properties, which are named with their entities.
  private static func removal(_ description: String, of properties: String...) -> ModelChange {
    let paths = properties.map { $0.split(separator: ".").map(String.init) }
    return ModelChange(description, Set(properties)) { entities in
      paths.reduce(entities) { $0.removing($1[1], from: $1[0]) }
    } expect: { graph in
      for path in paths { graph.set(path[1], of: path[0], to: nil) }
    }
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
    removal("remove an attribute", of: "Students.studentPwd"),
    removal("remove an attribute with an index", of: "Students.studentId"),
    ModelChange("optional becomes required with a default", ["Students.studentDes"]) {
      $0.redefining(AttributeDescription("studentDes", .string, optional: false, default: "it's none"), of: "Students")
    } expect: {
      $0.each("Students") { if $0["studentDes"] == "NULL" { $0["studentDes"] = "'it''s none'" } }
    },
    ModelChange("required becomes optional", ["Classes.classNames"]) {
      $0.redefining(AttributeDescription("classNames", .string), of: "Classes")
    },
    ModelChange("rename an attribute", ["Students.studentName"]) {
      $0.redefining(
        AttributeDescription("fullName", .string, optional: false, renamedFrom: "studentName"), of: "Students")
    } expect: {
      $0.rename("studentName", of: "Students", to: "fullName")
    },
    removal(
      "remove every attribute",
      of: "Students.studentId", "Students.studentName", "Students.studentDes", "Students.studentPwd"),
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
    removal(
      "remove a to-one relationship with its inverse", of: "Students.student_class", "Classes.class_students"),
    removal("remove a many-to-many relationship", of: "Students.student_course", "Courses.course_students"),
    ModelChange("rename a to-one relationship", ["Students.student_class"]) {
      $0.redefining(RelationshipDescription("class_students", toMany: "Students", inverse: "form"), of: "Classes")
        .redefining(
          RelationshipDescription("form", to: "Classes", inverse: "class_students", renamedFrom: "student_class"),
          of: "Students")
    } expect: {
      $0.rename("student_class", of: "Students", to: "form")
    },
    ModelChange("rename both ends of a many-to-many relationship", ["Students.student_course"]) {
      $0.redefining(
        RelationshipDescription("audience", toMany: "Students", inverse: "chosen", renamedFrom: "course_students"),
        of: "Courses"
      )
      // The identifier at the other end is enough.
      .removing("student_course", from: "Students")
      .adding(RelationshipDescription("chosen", toMany: "Courses", inverse: "audience"), to: "Students")
    } expect: {
      $0.rename("course_students", of: "Courses", to: "audience")
      $0.rename("student_course", of: "Students", to: "chosen")
    },
    ModelChange("to-one becomes to-many, and one-to-many many-to-many", ["Students.student_class"]) {
      $0.redefining(
        RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students"), of: "Students")
    },
    ModelChange("a to-one relationship loses its inverse", ["Scores.score_student"]) {
      $0.removing("student_score", from: "Students")
        .redefining(RelationshipDescription("score_student", to: "Students"), of: "Scores")
    } expect: {
      $0.set("student_score", of: "Students", to: nil)
    },
  ]

  private static let entities = [
    ModelChange("add an entity before all others", ["Absences"]) {
      $0 + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date, optional: false)])]
    },
    ModelChange("rename an entity, which changes the order", ["Courses"]) {
      $0.renaming("Courses", to: "Topics")
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
