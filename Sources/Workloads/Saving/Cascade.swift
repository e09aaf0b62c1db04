import StorageContract

/// A workload that deletes a school class to which many students are linked, by one of four delete rules.
struct Cascade: Workload {
  static let fan = OptionSpec("fan", ["10", "1000"], help: "students of a class")
  static let rule = OptionSpec(
    "rule", ["cascade", "nullify", "deny", "noaction"],
    help: """
      delete the students too, only unlink them, refuse to delete a class that has students, or leave the students \
      with links to the deleted class
      """)

  static let description = WorkloadDescription(
    id: "cascade", question: "What does deleting a record with many others linked to it cost?",
    operation: "delete a class with its students, or without them, or after a refusal and the removal of its students",
    options: [fan, rule], access: .writes, capability: { _ in .relational },
    collections: ["classes", "students", "links"],
    obstacle: { _, store in store.lackOfKeyOrder })

  let options: Options

  private var fan: Int { Int(options[Self.fan]) ?? 10 }
  private var rule: RecordDeleteRule { RecordDeleteRule(rawValue: options[Self.rule]) ?? .cascade }

  /// Returns the number of school classes, with `fan` students each, for `records` students: at least one.
  private func classes(_ records: Int) -> Int { max(1, records / fan) }

  func countedOperations(records: Int, kind: EngineKind) -> Int { min(8, max(1, classes(records) / 2)) }

  // The delete rule is part of the schema of a store.
  var fixtureName: String { "classes-students-\(fan)-\(rule.rawValue)" }

  fileprivate static let classes = CollectionID(0)
  fileprivate static let students = CollectionID(1)
  fileprivate static let classStudents = RelationshipID(0)

  func fixture(of source: any RecordSource) throws -> Fixture {
    let count = classes(source.count)
    let students = (0..<count * fan).map { index in
      var student = source.record(at: index % source.count)
      student.id = Int64(index) + 1
      return student
    }
    let links = students.map { Link(($0.id - 1) / Int64(fan) + 1, to: $0.id, by: Self.classStudents) }
    let classes = (1...count).map {
      Record(id: Int64($0), name: "class \($0)", group: "", score: 0, modified: 0, payload: [])
    }
    let schema = try RelationSchema(
      [
        RecordRelationship("class_students", from: Self.classes, to: Self.students, sources: .one, deleteRule: rule)
      ], links: CollectionID(2))
    return Fixture([RecordList(classes), RecordList(students)], schema: schema, links: links)
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    CascadeSession(context, fan: fan, rule: rule)
  }
}

/// A session that deletes one school class per operation. When no class is left, the session restores the initial
/// store.
private final class CascadeSession: FreshStoreSession {
  private let fan: Int
  private let rule: RecordDeleteRule
  private var relations: (any Relational)?
  /// The errors of refused deletions, by operation number. With the delete rule `deny`, a record with links cannot be
  /// deleted.
  private var refusals: [Int: RelationError] = [:]

  init(_ context: SessionContext, fan: Int, rule: RecordDeleteRule) {
    self.fan = fan
    self.rule = rule
    super.init(context)
  }

  private var classes: Int { context.source.count }

  private func key(_ operation: Int) -> Int64 { Int64(operation % classes) + 1 }

  override func setUp() throws {
    try super.setUp()
    relations = store.map { Capability.relational(of: $0).value }
    if let schema = context.fixture.schema { try relations?.declare(schema) }
  }

  override func prepare(_ operations: Range<Int>) throws {
    refusals = [:]
    if operations.lowerBound % classes == 0 { try super.prepare(operations) }
  }

  override func perform(_ operation: Int) throws {
    guard let relations else { return }
    let deletion = RelationChange.delete(key(operation), in: Cascade.classes)
    do {
      try relations.commit([deletion])
    } catch let error as RelationError {
      refusals[operation] = error
      guard rule == .deny else { return }
      let students = try relations.destinations(of: key(operation), by: Cascade.classStudents)
      let taken = students.map { RelationChange.unlink(key(operation), from: $0, by: Cascade.classStudents) }
      try relations.commit(taken + [deletion])
    }
  }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    for operation in operations {
      let key = key(operation)
      let right = RelationError.denied(relationship: "class_students", key: key, remaining: fan)
      if rule == .deny, refusals[operation] != right {
        let what = refusals[operation].map { "got the error '\($0)' at its deletion" } ?? "was deleted"
        throw VerificationError(
          key: key, "\(what); the delete rule 'deny' must refuse the deletion because of \(fan) students")
      }
      if rule != .deny, let refusal = refusals[operation] { throw refusal }
    }
    let deleted = (operations.upperBound - 1) % classes + 1
    let students = (classes - (rule == .cascade ? deleted : 0)) * fan
    for (name, collection, right) in [
      ("classes", Cascade.classes, classes - deleted), ("students", Cascade.students, students),
    ] {
      let count = try store.count(in: collection)
      guard count == right else {
        throw VerificationError("\(count) \(name) are left where there should be \(right)")
      }
    }
  }

  override func bytesChanged(by operations: Int) -> Int {
    (0..<operations).reduce(0) { sum, operation in
      let first = operation % classes * fan
      let students = rule == .cascade ? (first..<first + fan).map { context.fixture.records[1].record(at: $0) } : []
      let size = students.reduce(context.source.record(at: operation % classes).logicalSize) { $0 + $1.logicalSize }
      return sum + size + (rule == .noAction ? 0 : fan * Link.logicalSize)
    }
  }

  override func expectation(after operations: Int) throws -> Expectation {
    var expectation = Expectation(context.fixture)
    guard operations > 0 else { return expectation }
    for key in 1...key(operations - 1) {
      if rule == .deny {
        for student in expectation.keys(linkedWith: key, by: Cascade.classStudents) {
          try expectation.apply(linked: .unlink(key, from: student, by: Cascade.classStudents))
        }
      }
      try expectation.apply(linked: .delete(key, in: Cascade.classes))
    }
    return expectation
  }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(UInt64(bitPattern: key(operation)))
    hash.add(UInt64(fan))
    hash.add(rule.rawValue)
  }
}
