import ObjectGraph
import TestSupport
import Testing

/// A change of a model.
struct ModelChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The entities and properties that the change concerns. Two changes of the same one cannot be combined.
  let targets: Set<String>
  let edit: @Sendable ([EntityDescription]) -> [EntityDescription]

  init(
    _ description: String, _ targets: Set<String>,
    _ edit: @escaping @Sendable ([EntityDescription]) -> [EntityDescription]
  ) {
    testDescription = description
    self.targets = targets
    self.edit = edit
  }

  /// The removal of properties, which are named with their entities.
  private static func removal(_ description: String, of properties: String...) -> ModelChange {
    ModelChange(description, Set(properties)) { entities in
      properties.map { $0.split(separator: ".").map(String.init) }.reduce(entities) { $0.removing($1[1], from: $1[0]) }
    }
  }

  static let all = attributes + relationships + entities + indexes

  private static let attributes = [
    ModelChange("add an attribute", ["Students.grade"]) {
      $0.adding(AttributeDescription("grade", .integer16), to: "Students")
    },
    ModelChange("add attributes with defaults of every type", ["Courses+"]) {
      defaults.reduce($0) { entities, new in
        entities.adding(AttributeDescription(new.0, new.1, optional: false, default: new.2), to: "Courses")
      }
    },
    removal("remove an attribute", of: "Students.studentPwd"),
    removal("remove an attribute with an index", of: "Students.studentId"),
    ModelChange("optional becomes required with a default", ["Students.studentDes"]) {
      $0.redefining(AttributeDescription("studentDes", .string, optional: false, default: "it's none"), of: "Students")
    },
    ModelChange("required becomes optional", ["Classes.classNames"]) {
      $0.redefining(AttributeDescription("classNames", .string), of: "Classes")
    },
    ModelChange("rename an attribute", ["Students.studentName"]) {
      $0.redefining(
        AttributeDescription("fullName", .string, optional: false, renamedFrom: "studentName"), of: "Students")
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
    },
    ModelChange("add a many-to-many relationship", ["Students.friends"]) {
      $0.adding(RelationshipDescription("friends", toMany: "Students", inverse: "friendOf"), to: "Students")
        .adding(RelationshipDescription("friendOf", toMany: "Students", inverse: "friends"), to: "Students")
    },
    removal(
      "remove a to-one relationship with its inverse", of: "Students.student_class", "Classes.class_students"),
    removal("remove a many-to-many relationship", of: "Students.student_course", "Courses.course_students"),
    ModelChange("rename a to-one relationship", ["Students.student_class"]) {
      $0.redefining(RelationshipDescription("class_students", toMany: "Students", inverse: "form"), of: "Classes")
        .redefining(
          RelationshipDescription("form", to: "Classes", inverse: "class_students", renamedFrom: "student_class"),
          of: "Students")
    },
    ModelChange("rename both ends of a many-to-many relationship", ["Students.student_course"]) {
      $0.redefining(
        RelationshipDescription("audience", toMany: "Students", inverse: "chosen", renamedFrom: "course_students"),
        of: "Courses"
      )
      // The identifier at the other end is enough.
      .removing("student_course", from: "Students")
      .adding(RelationshipDescription("chosen", toMany: "Courses", inverse: "audience"), to: "Students")
    },
    ModelChange("to-one becomes to-many, and one-to-many many-to-many", ["Students.student_class"]) {
      $0.redefining(
        RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students"), of: "Students")
    },
    ModelChange("a to-one relationship loses its inverse", ["Scores.score_student"]) {
      $0.removing("student_score", from: "Students")
        .redefining(RelationshipDescription("score_student", to: "Students"), of: "Scores")
    },
  ]

  private static let entities = [
    ModelChange("add an entity before all others", ["Absences"]) {
      $0 + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date, optional: false)])]
    },
    ModelChange("rename an entity, which changes the order", ["Courses"]) {
      $0.renaming("Courses", to: "Topics")
    },
    ModelChange("remove an entity", ["Scores.score_student", "Scores.scoreId", "Scores.unique", "Courses"]) {
      $0.filter { $0.name != "Scores" }
        .removing("course_score", from: "Courses").removing("student_score", from: "Students")
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

extension Graph {
  /// The objects after a migration between two models, by the names and former names in the new one.
  func migrated(from old: [EntityDescription], to new: [EntityDescription]) -> Graph {
    // The former name of a relationship whose inverse alone has one.
    func nameByInverse(_ relationship: RelationshipDescription) -> String? {
      let inverse = new.flatMap(\.relationships).first { $0.name == relationship.inverse }
      return old.flatMap(\.relationships).first { $0.name == inverse?.renamingIdentifier }?.inverse
    }
    var migrated = self
    migrated.objects = [:]
    for entity in new {
      for (name, former) in objects where name.hasPrefix("\(entity.renamingIdentifier ?? entity.name)/") {
        var values: [String: String] = [:]
        for attribute in entity.attributes {
          let value = former[attribute.renamingIdentifier ?? attribute.name]
          let isKept = value != nil && (value != "NULL" || attribute.isOptional)
          values[attribute.name] = isKept ? value : "\(attribute.defaultValue)"
        }
        for relationship in entity.relationships {
          let links =
            former[relationship.renamingIdentifier ?? relationship.name]
            ?? nameByInverse(relationship).flatMap { former[$0] } ?? ""
          values[relationship.name] = links.replacing(/\w+\//, with: "\(relationship.destination)/")
        }
        migrated.objects[name.replacing(/\w+\//, with: "\(entity.name)/")] = values
      }
    }
    return migrated
  }
}
