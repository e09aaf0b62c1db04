import ObjectGraph
import TestSupport
import Testing

/// Semantic 24: a store that cannot be migrated is refused and stays as it was.
@Suite struct MigrationRefusalTests {
  /// Changes that cannot be inferred, with the property that the error names.
  private static let obstacles = [
    ModelChange("text becomes a number", ["Students.studentId"]) {
      $0.redefining(AttributeDescription("studentId", .integer64, optional: false, default: 0), of: "Students")
    },
    ModelChange("a number becomes a wider one", ["Classes.classId"]) {
      $0.redefining(AttributeDescription("classId", .double, default: 0), of: "Classes")
    },
    ModelChange("a type changes with a rename", ["Students.number"]) {
      $0.redefining(AttributeDescription("number", .integer64, renamedFrom: "studentId"), of: "Students")
        .indexing("Students", by: [])
    },
    ModelChange("required without a default", ["Students.studentDes"]) {
      $0.redefining(AttributeDescription("studentDes", .string, optional: false), of: "Students")
    },
    ModelChange("new and required without a default", ["Students.grade"]) {
      $0.adding(AttributeDescription("grade", .integer16, optional: false), to: "Students")
    },
    ModelChange("to-many becomes to-one", ["Students.student_score"]) {
      $0.redefining(RelationshipDescription("student_score", to: "Scores", inverse: "score_student"), of: "Students")
    },
    ModelChange("many-to-many becomes one-to-many", ["Students.student_course"]) {
      $0.redefining(
        RelationshipDescription("student_course", to: "Courses", inverse: "course_students"), of: "Students")
    },
    ModelChange("a relationship leads elsewhere", ["Scores.score_course"]) {
      $0.redefining(RelationshipDescription("score_course", to: "Classes"), of: "Scores")
        .removing("course_score", from: "Courses")
    },
    ModelChange("another inverse", ["class_students"]) {
      $0.adding(RelationshipDescription("home", to: "Classes", inverse: "class_students"), to: "Students")
        .redefining(RelationshipDescription("student_class", to: "Classes"), of: "Students")
        .redefining(RelationshipDescription("class_students", toMany: "Students", inverse: "home"), of: "Classes")
    },
    ModelChange("an attribute becomes a relationship", ["Students.studentDes"]) {
      $0.removing("studentDes", from: "Students")
        .adding(RelationshipDescription("studentDes", to: "Classes"), to: "Students")
    },
    ModelChange("a relationship becomes an attribute", ["Students.student_class"]) {
      $0.removing("student_class", from: "Students").removing("class_students", from: "Classes")
        .adding(AttributeDescription("student_class", .string), to: "Students")
    },
  ]

  @Test(
    "24: what cannot be inferred names entity and property, and the store is as before", arguments: obstacles,
    StoreHistory.types)
  func obstacle(_ obstacle: ModelChange, _ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let error = try refusal(history, obstacle.edit(School.entities))
    guard case .cannotInferMapping(file: "store.db", let sentence) = error else { throw error }
    for target in obstacle.targets { #expect(sentence.contains(target), "\(sentence)") }
    #expect("\(error)".contains("store.db"))
    #expect(try history.studentCount() == 11)
  }

  /// The error of a migration, which leaves every byte of the store as it was.
  private func refusal(
    _ history: StoreHistory, _ entities: [EntityDescription], _ options: StoreOptions = .migrating
  ) throws -> ObjectGraphError {
    let before = try history.bytes()
    let error = try #require(throws: ObjectGraphError.self) { try history.open(entities, options) { _ in } }
    #expect(try history.bytes() == before)
    return error
  }

  @Test(
    "24: without the options a store of another model is refused, named with its entities",
    arguments: StoreHistory.types)
  func withoutOptions(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let v2 = School.entities.adding(AttributeDescription("grade", .integer16), to: "Students")
      .removing("student_class", from: "Students").filter { $0.name != "Classes" }
    // Inferring alone does not ask for a migration, and a migration needs a mapping.
    for (migrates, infers) in [(false, false), (false, true), (true, false)] {
      let options = StoreOptions().with { ($0.migratesAutomatically, $0.infersMapping) = (migrates, infers) }
      let error = try refusal(history, v2, options)
      for word in ["store.db", "Classes", "Students"] { #expect("\(error)".contains(word)) }
      switch error {
      case .incompatibleModel("store.db", ["Classes", "Students"]): #expect(!migrates)
      case .missingMapping("store.db", ["Classes", "Students"]): #expect(migrates)
      default: throw error
      }
    }
    #expect(try history.open(v2, .migrating) { try $0.studentCount() } == 11)
  }

  @Test("24: objects that lack what becomes required are named, and nothing is migrated", arguments: StoreHistory.types)
  func requiredRelationship(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let v2 = School.entities.redefining(
      RelationshipDescription("student_class", to: "Classes", inverse: "class_students", optional: false),
      of: "Students")
    let failures = try #require(try refusal(history, v2).failures)
    #expect(failures.map { $0.objectID.uriRepresentation.path } == ["/Students/p5", "/Students/p10"])
    #expect(failures.allSatisfy { $0.entity == "Students" && $0.key == "student_class" })

    // To-many ones are checked, too: in the inverse's column and in a join table.
    let v3 = School.entities.redefining(
      RelationshipDescription("course_students", toMany: "Students", inverse: "student_course", optional: false),
      of: "Courses"
    ).redefining(
      RelationshipDescription("class_students", toMany: "Students", inverse: "student_class", optional: false),
      of: "Classes")
    try history.edit { context in
      _ = try context.course(5, "Empty")
      _ = try context.schoolClass(4, "Empty")
    }
    let second = try #require(try refusal(history, v3).failures)
    #expect(second.map { $0.objectID.uriRepresentation.path } == ["/Classes/p4", "/Courses/p5"])
    try history.edit { context in
      try context.fetch(FetchRequest<Course>(where: Property("courseName") == "Empty")).forEach(context.delete)
      try context.delete(context.findClass("Empty"))
    }
    #expect(try history.open(v3, .migrating) { try $0.count(for: FetchRequest<Course>()) } == 4)
  }

  @Test("24: objects that share what becomes unique are named, and nothing is migrated", arguments: StoreHistory.types)
  func duplicates(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    // The tables are changed already when the constraint is made: all of it is taken back.
    let v2 = School.entities.removing("studentPwd", from: "Students").changing("Students") {
      $0.uniquenessConstraints = [["studentDes", "student_class"], ["student_class"]]
    }
    let conflict = try #require(try refusal(history, v2).constraintConflicts?.first)
    #expect(conflict.entity == "Students")
    #expect(conflict.constraint == ["student_class"])
    // Every class has several students.
    #expect(conflict.databaseObjectID == nil)
    let names = conflict.conflictingObjectIDs.map(\.uriRepresentation.path)
    let classes = try history.open(School.entities) { context in
      try context.fetch(FetchRequest<Student>()).filter { names.contains($0.objectID.uriRepresentation.path) }
        .map { $0.schoolClass?.classId }
    }
    #expect(classes.count > 1 && classes[0] != nil && Set(classes).count == 1, "\(names)")
    #expect(try history.studentCount() == 11)
  }

  @Test("24: a store that does not know its model is damaged")
  func unknownModel() throws {
    let history = try StoreHistory.school()
    try history.rows("DELETE FROM Z_MODELCACHE")
    let error = try refusal(history, School.entities.indexing("Students", by: []))
    #expect(error.damage?.contains("Z_MODELCACHE") == true, "\(error)")
    // Its own model needs none.
    #expect(try history.studentCount() == 11)
  }
}
