import ObjectGraph
import TestSupport
import Testing

/// A change of a model that can be inferred, and what becomes of the objects.
struct ModelChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Two changes of one place cannot be combined.
  let places: Set<String>
  let edit: @Sendable ([EntityDescription]) -> [EntityDescription]
  let expect: @Sendable (inout Graph) -> Void

  init(
    _ description: String, _ places: Set<String>,
    _ edit: @escaping @Sendable ([EntityDescription]) -> [EntityDescription],
    expect: @escaping @Sendable (inout Graph) -> Void = { _ in }
  ) {
    testDescription = description
    self.places = places
    self.edit = edit
    self.expect = expect
  }

  static let all = attributes + relationships + entities + indexes

  private static let attributes = [
    ModelChange("add an attribute", ["Students.grade"]) {
      $0.changing("Students") { $0.attributes.append(AttributeDescription("grade", .integer16)) }
    } expect: {
      $0.each("Students") { $0["grade"] = "NULL" }
    },
    ModelChange("add attributes with defaults of every type", ["Courses+"]) {
      $0.changing("Courses") { course in
        for (name, type, value) in defaults {
          course.attributes.append(AttributeDescription(name, type, optional: false, default: value))
        }
      }
    } expect: {
      $0.each("Courses") { course in for (name, _, value) in defaults { course[name] = "\(value)" } }
    },
    ModelChange("remove an attribute", ["Students.studentPwd"]) {
      $0.changing("Students") { $0.attributes.removeAll { $0.name == "studentPwd" } }
    } expect: {
      $0.each("Students") { $0["studentPwd"] = nil }
    },
    ModelChange("remove an attribute with an index", ["Students.studentId"]) {
      $0.changing("Students") {
        $0.attributes.removeAll { $0.name == "studentId" }
        $0.indexes = []
      }
    } expect: {
      $0.each("Students") { $0["studentId"] = nil }
    },
    ModelChange("optional becomes required with a default", ["Students.studentDes"]) {
      $0.changing("Students") {
        $0.replace(
          "studentDes", by: AttributeDescription("studentDes", .string, optional: false, default: "it's none"))
      }
    } expect: {
      $0.each("Students") { if $0["studentDes"] == "NULL" { $0["studentDes"] = "'it''s none'" } }
    },
    ModelChange("required becomes optional", ["Classes.classNames"]) {
      $0.changing("Classes") { $0.replace("classNames", by: AttributeDescription("classNames", .string)) }
    },
    ModelChange("rename an attribute", ["Students.studentName"]) {
      $0.changing("Students") {
        $0.replace(
          "studentName",
          by: AttributeDescription("fullName", .string, optional: false, renamedFrom: "studentName"))
      }
    } expect: {
      $0.each("Students") { $0.rename("studentName", to: "fullName") }
    },
    ModelChange("two attributes swap their names", ["Students.studentDes", "Students.studentPwd"]) {
      $0.changing("Students") {
        $0.replace("studentDes", by: AttributeDescription("swapped", .string, renamedFrom: "studentDes"))
        $0.replace("studentPwd", by: AttributeDescription("studentDes", .string, renamedFrom: "studentPwd"))
        $0.replace("swapped", by: AttributeDescription("studentPwd", .string, renamedFrom: "studentDes"))
        // Without another change the models would be taken for the same.
        $0.attributes.append(AttributeDescription("note", .string))
      }
    } expect: {
      $0.each("Students") {
        $0["note"] = "NULL"
        $0.rename("studentDes", to: "swapped")
        $0.rename("studentPwd", to: "studentDes")
        $0.rename("swapped", to: "studentPwd")
      }
    },
    ModelChange(
      "remove every attribute",
      ["Students.studentId", "Students.studentName", "Students.studentDes", "Students.studentPwd"]
    ) {
      $0.changing("Students") {
        $0.attributes.removeAll { $0.name.hasPrefix("student") }
        $0.indexes = []
      }
    } expect: {
      $0.each("Students") { for key in ["Id", "Name", "Des", "Pwd"] { $0["student\(key)"] = nil } }
    },
  ]

  /// Values that are hard to write as SQL are among them.
  private static let defaults: [(String, AttributeType, Value)] = [
    ("a16", .integer16, -5), ("a32", .integer32, 70_000), ("a64", .integer64, .integer(.min)),
    ("aBool", .boolean, true),
    ("aDouble", .double, 0.1), ("aThird", .double, .double(1.0 / 3)),
    ("aTiny", .double, .double(.leastNonzeroMagnitude)),
    ("aFloat", .float, 2.5), ("aText", .string, "it's \"数学\""), ("aNul", .string, "a\0b"), ("aEmpty", .string, ""),
    ("aDate", .date, 12.25), ("aWhole", .date, 86_400.0), ("aBlob", .binary, .binary([0, 15, 16, 255])),
    ("aUUID", .uuid, .binary([UInt8](0..<16))), ("aURI", .uri, "http://example.org/?a=b"),
  ]

  private static let relationships = [
    ModelChange("add a to-one relationship with its inverse", ["Classes+", "Students.tutor"]) {
      $0.changing("Classes") {
        $0.relationships.append(RelationshipDescription("tutored", toMany: "Students", inverse: "tutor"))
      }.changing("Students") {
        $0.relationships.insert(RelationshipDescription("tutor", to: "Classes", inverse: "tutored"), at: 0)
      }
    } expect: {
      $0.each("Classes") { $0["tutored"] = "" }
      $0.each("Students") { $0["tutor"] = "" }
    },
    ModelChange("add a many-to-many relationship", ["Students.friends"]) {
      $0.changing("Students") {
        $0.relationships += [
          RelationshipDescription("friends", toMany: "Students", inverse: "friendOf"),
          RelationshipDescription("friendOf", toMany: "Students", inverse: "friends"),
        ]
      }
    } expect: {
      $0.each("Students") { ($0["friends"], $0["friendOf"]) = ("", "") }
    },
    ModelChange("remove a to-one relationship with its inverse", ["Students.student_class"]) {
      $0.changing("Classes") { $0.relationships.removeAll { $0.name == "class_students" } }
        .changing("Students") { $0.relationships.removeAll { $0.name == "student_class" } }
    } expect: {
      $0.each("Classes") { $0["class_students"] = nil }
      $0.each("Students") { $0["student_class"] = nil }
    },
    ModelChange("remove a many-to-many relationship", ["Students.student_course"]) {
      $0.changing("Courses") { $0.relationships.removeAll { $0.name == "course_students" } }
        .changing("Students") { $0.relationships.removeAll { $0.name == "student_course" } }
    } expect: {
      $0.each("Courses") { $0["course_students"] = nil }
      $0.each("Students") { $0["student_course"] = nil }
    },
    ModelChange("rename a to-one relationship", ["Students.student_class"]) {
      $0.changing("Classes") {
        $0.replace("class_students", by: RelationshipDescription("class_students", toMany: "Students", inverse: "form"))
      }.changing("Students") {
        $0.replace(
          "student_class",
          by: RelationshipDescription("form", to: "Classes", inverse: "class_students", renamedFrom: "student_class"))
      }
    } expect: {
      $0.each("Students") { $0.rename("student_class", to: "form") }
    },
    ModelChange("rename both ends of a many-to-many relationship", ["Students.student_course"]) {
      $0.changing("Courses") {
        $0.replace(
          "course_students",
          by: RelationshipDescription(
            "audience", toMany: "Students", inverse: "chosen", renamedFrom: "course_students"))
      }.changing("Students") {
        // The identifier at the other end is enough.
        $0.replace(
          "student_course", by: RelationshipDescription("chosen", toMany: "Courses", inverse: "audience"))
      }
    } expect: {
      $0.each("Courses") { $0.rename("course_students", to: "audience") }
      $0.each("Students") { $0.rename("student_course", to: "chosen") }
    },
    ModelChange("to-one becomes to-many, and one-to-many many-to-many", ["Students.student_class"]) {
      $0.changing("Students") {
        $0.replace(
          "student_class",
          by: RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students"))
      }
    },
    ModelChange("a to-one relationship loses its inverse", ["Scores.score_student"]) {
      $0.changing("Students") { $0.relationships.removeAll { $0.name == "student_score" } }
        .changing("Scores") {
          $0.replace("score_student", by: RelationshipDescription("score_student", to: "Students"))
        }
    } expect: {
      $0.each("Students") { $0["student_score"] = nil }
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
        for place in entity.relationships.indices where entity.relationships[place].destination == "Courses" {
          entity.relationships[place].destination = "Topics"
        }
        return entity
      }
    } expect: {
      $0.rename("Courses", to: "Topics")
    },
    ModelChange("remove an entity", ["Scores.score_student", "Scores.scoreId", "Scores.unique", "Courses"]) {
      $0.filter { $0.name != "Scores" }
        .changing("Courses") { $0.relationships.removeAll { $0.name == "course_score" } }
        .changing("Students") { $0.relationships.removeAll { $0.name == "student_score" } }
    } expect: {
      $0.remove("Scores")
      $0.each("Courses") { $0["course_score"] = nil }
      $0.each("Students") { $0["student_score"] = nil }
    },
  ]

  private static let indexes = [
    ModelChange("add an index", ["Classes.index"]) {
      $0.changing("Classes") { $0.indexes = [["classNames"], ["classNames", "classId"]] }
    },
    ModelChange("remove an index", ["Students.studentId"]) { $0.changing("Students") { $0.indexes = [] } },
    ModelChange("add a uniqueness constraint", ["Courses.unique"]) {
      $0.changing("Courses") { $0.uniquenessConstraints = [["courseId"]] }
    },
    ModelChange("remove a uniqueness constraint", ["Scores.unique"]) {
      $0.changing("Scores") { $0.uniquenessConstraints = [] }
    },
  ]
}

extension EntityDescription {
  mutating func replace(_ name: String, by attribute: AttributeDescription) {
    attributes = attributes.map { $0.name == name ? attribute : $0 }
  }

  mutating func replace(_ name: String, by relationship: RelationshipDescription) {
    relationships = relationships.map { $0.name == name ? relationship : $0 }
  }
}
