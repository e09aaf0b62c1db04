import Contract

/// Links from both ends, delete rules, and a random history of both.
struct RelationCheck: CapabilityCheck {
  static let id = "relations"
  static let promise = "links and delete rules give the same natively and emulated"
  static let collections = ["classes", "students", "scores", "links"]

  private static let (classes, students, scores) = (CollectionID(0), CollectionID(1), CollectionID(2))
  /// A class with students cannot go; a student's scores go with it; friends are many to many, within one collection.
  private static func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        Relationship("class_students", from: classes, to: students, sources: .one, deleteRule: .deny),
        Relationship("student_scores", from: students, to: scores, sources: .one, deleteRule: .cascade),
        Relationship("friends", from: students, to: students),
        Relationship("best_score", from: students, to: scores, destinations: .one, sources: .one),
      ], links: CollectionID(3))
  }

  static func script(
    _ type: any StorageBackend.Type, _ environment: StoreEnvironment, _ transcript: inout Transcript
  ) throws {
    let store = try type.init(opening: environment)
    let relations = Capability.relational(of: store).value
    try relations.declare(try schema())
    var fill: [RelationChange] = []
    for key in Int64(1)...3 { fill.append(.put(Samples.record(key, "class \(key)"), in: classes)) }
    for key in Int64(1)...12 { fill.append(.put(Samples.record(key, "student \(key)"), in: students)) }
    for key in Int64(1)...20 { fill.append(.put(Samples.record(key, "score \(key)"), in: scores)) }
    try relations.commit(fill)
    var dice = Dice(seed: 11)
    for number in 0..<80 {
      let changes = (0..<Int.random(in: 1...3, using: &dice)).map { _ in change(&dice) }
      transcript.note("commit \(number)") {
        try relations.commit(changes)
        return "made"
      }
      if number % 8 == 7 { try show(store, relations, &transcript) }
    }
    transcript.note("an undeclared relationship") {
      "\(try relations.destinations(of: 1, by: RelationshipID(9)))"
    }
    try store.close()
  }

  private static func change(_ dice: inout Dice) -> RelationChange {
    // Now and then a record that is not there.
    let student = Int64.random(in: 1...13, using: &dice)
    let other = Int64.random(in: 1...12, using: &dice)
    let score = Int64.random(in: 1...20, using: &dice)
    let group = Int64.random(in: 1...3, using: &dice)
    switch Int.random(in: 0..<12, using: &dice) {
    case 0, 1: return .link(group, to: student, by: RelationshipID(0))
    case 2, 3: return .link(student, to: score, by: RelationshipID(1))
    case 4, 5: return .link(student, to: other, by: RelationshipID(2))
    case 6: return .link(student, to: score, by: RelationshipID(3))
    case 7: return .unlink(student, from: other, by: RelationshipID(2))
    case 8: return .unlink(group, from: student, by: RelationshipID(0))
    case 9: return .delete(group, in: classes)
    case 10: return .delete(student, in: students)
    default: return .put(Samples.record(other, "student \(other) again"), in: students)
    }
  }

  private static func show(
    _ store: any StorageBackend, _ relations: any Relational, _ transcript: inout Transcript
  ) throws {
    for (index, relationship) in try schema().relationships.enumerated() {
      let id = RelationshipID(index)
      for key in Int64(1)...12 {
        for direction in LinkDirection.allCases {
          let keys = try relations.keys(linkedWith: key, by: id, direction)
          var names: [String] = []
          try relations.walk(from: key, by: id, direction) {
            names.append($0.record().name)
            return names.count < 3
          }
          transcript.note("\(relationship.name) \(direction) of \(key): \(keys) \(names)")
        }
      }
    }
    for collection in [classes, students, scores] {
      transcript.note("collection \(collection.index)", try store.records(.all, in: collection))
    }
  }
}
