import StorageContract

/// A check of links and delete rules: after random changes, a backend must give the same answers as a model in memory.
struct RelationCheck: CapabilityCheck {
  static let id = "relations"
  static let promise = "links and delete rules give the same natively and emulated, and stay"
  static let capability = Capability.relational
  static let collections = ["classes", "students", "scores", "links"]

  private static let (classes, students, scores) = (CollectionID(0), CollectionID(1), CollectionID(2))
  private static let (inClass, hasScore, friends, best, mentors) = (
    RelationshipID(0), RelationshipID(1), RelationshipID(2), RelationshipID(3), RelationshipID(4)
  )
  /// The keys of the students. The last three test the range of `Int64`: a key whose low 32 bits equal 3, the smallest
  /// key and the largest key.
  private static let studentKeys: [Int64] = Array(1...9) + [3 + 1 << 58, .min, .max]

  private static func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        RecordRelationship("class_students", from: classes, to: students, sources: .one, deleteRule: .deny),
        RecordRelationship("student_scores", from: students, to: scores, sources: .one, deleteRule: .cascade),
        RecordRelationship("friends", from: students, to: students),
        RecordRelationship(
          "best_score", from: students, to: scores, destinations: .one, sources: .one, inverseDeleteRule: .deny),
        RecordRelationship("mentors", from: students, to: students, destinations: .one, deleteRule: .cascade),
      ], links: CollectionID(3))
  }

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    let relations = Capability.relational(of: store).value
    func note(_ what: String, committing changes: [RelationChange]) {
      transcript.note(what) {
        try relations.commit(changes)
        return "made"
      }
    }
    try relations.declare(try schema())
    try relations.commit(fill)
    var random = SeededRandom(seed: 11)
    for number in 0..<120 {
      let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in change(&random) }
      note("commit \(number)", committing: changes)
      if number % 8 == 7 { try show(store, relations, &transcript) }
    }
    // The last change fails, so none of the other changes may be applied.
    note(
      "a link to no record",
      committing: [
        .put(SampleRecords.record(4, "student 4 for good"), in: students), .link(1, to: 4, by: inClass),
        .delete(1, in: students), .link(4, to: 99, by: friends),
      ])
    transcript.note("an undeclared relationship") {
      "\(try relations.destinations(of: 1, by: RelationshipID(9)))"
    }
    note("a change by an undeclared relationship", committing: [.link(1, to: 2, by: RelationshipID(9))])
    // The mentors form a cycle, so deleting one of them deletes all.
    try relations.commit(
      fill + [.link(5, to: 6, by: mentors), .link(6, to: 7, by: mentors), .link(7, to: 5, by: mentors)])
    try show(store, relations, &transcript)
    note("deleting a circle", committing: [.delete(6, in: students)])
    try show(store, relations, &transcript)
  }

  static func look(_ store: any StorageBackend, _ transcript: inout Transcript) throws {
    let relations = Capability.relational(of: store).value
    try relations.declare(try schema())
    try show(store, relations, &transcript)
    try relations.commit([.unlink(1, from: 2, by: friends), .link(2, to: 1, by: friends), .delete(3, in: students)])
    try show(store, relations, &transcript)
  }

  private static let fill: [RelationChange] =
    (1...3).map { .put(SampleRecords.record($0, "class \($0)"), in: classes) }
    + studentKeys.map { .put(SampleRecords.record($0, "student \($0)"), in: students) }
    + (1...20).map { .put(SampleRecords.record($0, "score \($0)"), in: scores) }

  private static func change(_ random: inout SeededRandom) -> RelationChange {
    // Key 13 has no record.
    let student = (studentKeys + [13]).randomElement(using: &random) ?? 1
    let other = studentKeys.randomElement(using: &random) ?? 1
    let score = Int64.random(in: 1...20, using: &random)
    let group = Int64.random(in: 1...3, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: return .link(group, to: student, by: inClass)
    case 2, 3: return .link(student, to: score, by: hasScore)
    case 4, 5: return .link(student, to: other, by: friends)
    case 6: return .link(student, to: score, by: best)
    case 7: return .link(student, to: other, by: mentors)
    case 8: return .unlink(student, from: other, by: friends)
    case 9: return .unlink(group, from: student, by: inClass)
    case 10: return .delete(group, in: classes)
    case 11: return .delete(student, in: students)
    case 12: return .delete(score, in: scores)
    case 13: return .put(SampleRecords.record(score, "score \(score) again"), in: scores)
    default: return .put(SampleRecords.record(other, "student \(other) again"), in: students)
    }
  }

  private static func show(
    _ store: any StorageBackend, _ relations: any Relational, _ transcript: inout Transcript
  ) throws {
    for (index, relationship) in try schema().relationships.enumerated() {
      let id = RelationshipID(index)
      for key in studentKeys + Array(10...20) {
        for direction in LinkDirection.allCases {
          let keys = try relations.keys(linkedWith: key, by: id, direction)
          var names: [String] = []
          try relations.walk(from: key, by: id, direction) {
            names.append($0.record().name)
            return names.count < 3
          }
          if !keys.isEmpty || !names.isEmpty {
            transcript.note("\(relationship.name) \(direction) of \(key): \(keys) \(names)")
          }
        }
      }
    }
    for collection in [classes, students, scores] {
      transcript.note("collection \(collection.index)", try store.records(.all, in: collection))
    }
  }
}
