import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 24: what cannot be migrated is refused, and left as it was.
@Suite struct MigrationRefusalTests {
  /// A change of the model that leaves open what is to become of the objects, and the property that is to be named.
  struct Obstacle: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let edit: @Sendable ([EntityDescription]) -> [EntityDescription]

    init(
      _ description: String, _ name: String,
      _ edit: @escaping @Sendable ([EntityDescription]) -> [EntityDescription]
    ) {
      testDescription = description
      self.name = name
      self.edit = edit
    }

    static let all = [
      Obstacle("text becomes a number", "Students.studentId") {
        $0.changing("Students") {
          $0.replace("studentId", by: AttributeDescription("studentId", .integer64, optional: false, default: 0))
        }
      },
      Obstacle("a number becomes a wider one", "Classes.classId") {
        $0.changing("Classes") { $0.replace("classId", by: AttributeDescription("classId", .double, default: 0)) }
      },
      Obstacle("a type changes with a rename", "Students.number") {
        $0.changing("Students") {
          $0.replace("studentId", by: AttributeDescription("number", .integer64, renamedFrom: "studentId"))
          $0.indexes = []
        }
      },
      Obstacle("required without a default", "Students.studentDes") {
        $0.changing("Students") {
          $0.replace("studentDes", by: AttributeDescription("studentDes", .string, optional: false))
        }
      },
      Obstacle("new and required without a default", "Students.grade") {
        $0.changing("Students") { $0.attributes.append(AttributeDescription("grade", .integer16, optional: false)) }
      },
      Obstacle("to-many becomes to-one", "Students.student_score") {
        $0.changing("Students") {
          $0.replace(
            "student_score", by: RelationshipDescription("student_score", to: "Scores", inverse: "score_student"))
        }
      },
      Obstacle("many-to-many becomes one-to-many", "Students.student_course") {
        $0.changing("Students") {
          $0.replace(
            "student_course", by: RelationshipDescription("student_course", to: "Courses", inverse: "course_students"))
        }
      },
      Obstacle("a relationship leads elsewhere", "Scores.score_course") {
        $0.changing("Scores") {
          $0.replace("score_course", by: RelationshipDescription("score_course", to: "Classes"))
        }.changing("Courses") { $0.relationships.removeAll { $0.name == "course_score" } }
      },
      Obstacle("another inverse", "class_students") {
        $0.changing("Students") {
          $0.relationships.append(RelationshipDescription("home", to: "Classes", inverse: "class_students"))
          $0.replace("student_class", by: RelationshipDescription("student_class", to: "Classes"))
        }.changing("Classes") {
          $0.replace(
            "class_students", by: RelationshipDescription("class_students", toMany: "Students", inverse: "home"))
        }
      },
      Obstacle("an attribute becomes a relationship", "Students.studentDes") {
        $0.changing("Students") {
          $0.attributes.removeAll { $0.name == "studentDes" }
          $0.relationships.append(RelationshipDescription("studentDes", to: "Classes"))
        }
      },
      Obstacle("a relationship becomes an attribute", "Students.student_class") {
        $0.changing("Students") {
          $0.relationships.removeAll { $0.name == "student_class" }
          $0.attributes.append(AttributeDescription("student_class", .string))
        }.changing("Classes") { $0.relationships = [] }
      },
    ]
  }

  @Test(
    "24: what cannot be inferred names entity and property, and the store is as before", arguments: Obstacle.all,
    StoreHistory.types)
  func obstacle(_ obstacle: Obstacle, _ type: StoreType) throws {
    let history = try filled(type)
    let before = try history.bytes()
    let error = try #require(throws: ObjectGraphError.self) {
      try history.open(obstacle.edit(School.entities), .migrating) { _ in }
    }
    guard case .cannotInferMapping(file: "store.db", let sentence) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(sentence.contains(obstacle.name), "\(sentence)")
    #expect("\(error)".contains("store.db"))
    #expect(try history.bytes() == before)
    #expect(try history.open(School.entities) { try $0.count(for: FetchRequest<Student>()) } == 11)
  }

  @Test(
    "24: without the options a store of another model is refused, named with its entities",
    arguments: StoreHistory.types)
  func withoutOptions(_ type: StoreType) throws {
    let history = try filled(type)
    let v2 =
      School.entities.changing("Students") { $0.attributes.append(AttributeDescription("grade", .integer16)) }
      .filter { $0.name != "Classes" }
      .changing("Students") { $0.relationships.removeAll { $0.name == "student_class" } }
    let before = try history.bytes()
    func error(_ options: StoreOptions) throws -> ObjectGraphError {
      let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, options) { _ in } }
      #expect(try history.bytes() == before)
      for word in ["store.db", "Classes", "Students"] { #expect("\(error)".contains(word)) }
      return error
    }
    guard case .incompatibleModel("store.db", ["Classes", "Students"]) = try error(StoreOptions()) else {
      Issue.record("no option")
      return
    }
    // Inferring alone does not ask for a migration, and a migration needs a mapping.
    var options = StoreOptions()
    options.infersMapping = true
    guard case .incompatibleModel = try error(options) else {
      Issue.record("infersMapping")
      return
    }
    options.infersMapping = false
    options.migratesAutomatically = true
    guard case .missingMapping("store.db", ["Classes", "Students"]) = try error(options) else {
      Issue.record("migratesAutomatically")
      return
    }
    #expect(try history.open(v2, .migrating) { try $0.count(for: FetchRequest<Student>()) } == 11)
  }

  @Test("24: objects that lack what becomes required are named, and nothing is migrated", arguments: StoreHistory.types)
  func requiredRelationship(_ type: StoreType) throws {
    let history = try filled(type)
    let before = try history.bytes()
    let v2 = School.entities.changing("Students") {
      $0.replace(
        "student_class",
        by: RelationshipDescription("student_class", to: "Classes", inverse: "class_students", optional: false))
    }
    let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, .migrating) { _ in } }
    guard case .validation(let failures) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(failures.map { $0.objectID.uriRepresentation.path } == ["/Students/p5", "/Students/p10"])
    #expect(failures.allSatisfy { $0.entity == "Students" && $0.key == "student_class" })
    #expect(try history.bytes() == before)

    // To-many ones are looked at, too: in the inverse's column and in a join table.
    let v3 = School.entities.changing("Courses") {
      $0.replace(
        "course_students",
        by: RelationshipDescription("course_students", toMany: "Students", inverse: "student_course", optional: false))
    }.changing("Classes") {
      $0.replace(
        "class_students",
        by: RelationshipDescription("class_students", toMany: "Students", inverse: "student_class", optional: false))
    }
    try history.open(School.entities) { context in
      _ = try context.course(5, "Empty")
      _ = try context.schoolClass(4, "Empty")
      try context.save()
    }
    let second = try #require(throws: ObjectGraphError.self) { try history.open(v3, .migrating) { _ in } }
    guard case .validation(let failures) = second else {
      Issue.record("\(second)")
      return
    }
    #expect(failures.map { $0.objectID.uriRepresentation.path } == ["/Classes/p4", "/Courses/p5"])
    try history.open(School.entities) { context in
      for object in try context.fetch(FetchRequest<Course>(where: Property("courseName") == "Empty")) {
        try context.delete(object)
      }
      for object in try context.fetch(FetchRequest<SchoolClass>(where: Property("classNames") == "Empty")) {
        try context.delete(object)
      }
      try context.save()
    }
    #expect(try history.open(v3, .migrating) { try $0.count(for: FetchRequest<Course>()) } == 4)
  }

  @Test("24: objects that share what becomes unique are named, and nothing is migrated", arguments: StoreHistory.types)
  func duplicates(_ type: StoreType) throws {
    let history = try filled(type)
    let before = try history.bytes()
    // The tables are changed already when the constraint is made: all of it is taken back.
    let v2 = School.entities.changing("Students") {
      $0.attributes.removeAll { $0.name == "studentPwd" }
      $0.uniquenessConstraints = [["studentDes", "student_class"], ["student_class"]]
    }
    let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, .migrating) { _ in } }
    guard case .constraints(let conflicts) = error, let conflict = conflicts.first else {
      Issue.record("\(error)")
      return
    }
    #expect(try history.bytes() == before)
    #expect(conflict.entity == "Students")
    #expect(conflict.constraint == ["student_class"])
    // Every class has several.
    #expect(conflict.databaseObjectID == nil && conflict.constraintValues.keys.elementsEqual(["student_class"]))
    let names = conflict.conflictingObjectIDs.map(\.uriRepresentation.path)
    let classes = try history.open(School.entities) { context in
      try context.fetch(FetchRequest<Student>()).filter { names.contains($0.objectID.uriRepresentation.path) }
        .map { $0.schoolClass?.classId }
    }
    #expect(classes.count > 1 && classes[0] != nil && Set(classes).count == 1, "\(names)")
    #expect(try history.open(School.entities) { try $0.count(for: FetchRequest<Student>()) } == 11)
  }

  @Test("24: a store that does not know its model is damaged")
  func unknownModel() throws {
    let history = try filled()
    _ = try history.rows("DELETE FROM Z_MODELCACHE")
    let v2 = School.entities.changing("Students") { $0.indexes = [] }
    let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, .migrating) { _ in } }
    guard case .damaged("store.db", let sentence) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(sentence.contains("Z_MODELCACHE"))
    // Its own model needs none.
    #expect(try history.open(School.entities) { try $0.count(for: FetchRequest<Student>()) } == 11)
  }

  private func filled(_ type: StoreType = .sqlite) throws -> StoreHistory {
    let history = try StoreHistory(type)
    try history.open(School.entities) { try School.fill($0) }
    return history
  }
}
