import Foundation
import TestSupport
import Testing

@testable import StorageContract

@Suite struct RelationEmulationTests {
  private static let students = CollectionID(0)
  private static let courses = CollectionID(1)
  private static let links = CollectionID(2)
  private static let many = RelationshipID(0)
  private static let one = RelationshipID(1)
  private static let pair = RelationshipID(2)
  private static let friends = RelationshipID(3)

  private func schema(
    _ rule: RecordDeleteRule = .nullify, inverse: RecordDeleteRule = .nullify, friends: RecordDeleteRule = .nullify
  ) throws -> RelationSchema {
    let (students, courses) = (Self.students, Self.courses)
    return try RelationSchema(
      [
        RecordRelationship("courses", from: students, to: courses, deleteRule: rule, inverseDeleteRule: inverse),
        RecordRelationship("favourite", from: students, to: courses, destinations: .one),
        RecordRelationship("captain", from: students, to: courses, destinations: .one, sources: .one),
        RecordRelationship("friends", from: students, to: students, deleteRule: friends),
      ], links: Self.links)
  }

  private func open(
    _ schema: RelationSchema, keys: [Int64] = Array(1...8)
  ) throws -> (DictionaryStore, any Relational) {
    let store = try DictionaryStore(collections: 3)
    let relational = Capability.relational(of: store)
    #expect(!relational.isNative)
    try relational.value.declare(schema)
    try relational.value.commit(
      keys.flatMap { [.put(.sample($0), in: Self.students), .put(.sample($0), in: Self.courses)] })
    return (store, relational.value)
  }

  @Test(arguments: 0..<60) func inversesStaySymmetric(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let schema = try schema()
    let (_, relational) = try open(schema)
    var model = Array(repeating: Set<[Int64]>(), count: schema.relationships.count)
    for _ in 0..<60 {
      let id = RelationshipID(Int.random(in: 0..<4, using: &random))
      let (from, to) = (Int64.random(in: 1...8, using: &random), Int64.random(in: 1...8, using: &random))
      let relationship = schema.relationships[id.index]
      switch Int.random(in: 0...9, using: &random) {
      case 0...6:
        try relational.commit([.link(from, to: to, by: id)])
        model[id.index] = model[id.index].filter { link in
          !(relationship.destinations == .one && link[0] == from)
            && !(relationship.sources == .one && link[1] == to)
        }
        model[id.index].insert([from, to])
      case 7...8:
        try relational.commit([.unlink(from, from: to, by: id)])
        model[id.index].remove([from, to])
      default:
        try relational.commit([.delete(from, in: Self.students), .put(.sample(from), in: Self.students)])
        for index in model.indices {
          model[index] = model[index].filter { $0[0] != from && !(index == 3 && $0[1] == from) }
        }
      }
      for index in model.indices {
        for key in Int64(1)...8 {
          let forward = model[index].filter { $0[0] == key }.map { $0[1] }.sorted()
          let inverse = model[index].filter { $0[1] == key }.map { $0[0] }.sorted()
          #expect(try relational.destinations(of: key, by: RelationshipID(index)) == forward)
          #expect(try relational.sources(of: key, by: RelationshipID(index)) == inverse)
        }
      }
    }
  }

  @Test func denyRefusesUntilTheOtherEndIsGone() throws {
    let (store, relational) = try open(schema(.deny))
    try relational.commit([.link(1, to: 2, by: Self.many)])
    let before = store.content
    #expect(throws: RelationError.denied(relationship: "courses", key: 1, remaining: 1)) {
      try relational.commit([.put(.sample(77), in: Self.students), .delete(1, in: Self.students)])
    }
    #expect(store.content == before)
    try relational.commit([.delete(2, in: Self.courses), .delete(1, in: Self.students)])
    #expect(store.content[0][1] == nil && store.content[1][2] == nil)
  }

  @Test func whatCascadesAlongDeniesNothing() throws {
    let (store, relational) = try open(schema(.cascade, inverse: .deny))
    try relational.commit([.link(1, to: 2, by: Self.many)])
    try relational.commit([.delete(1, in: Self.students)])
    #expect(store.content[0][1] == nil && store.content[1][2] == nil)
    try relational.commit([.link(3, to: 4, by: Self.many), .link(5, to: 4, by: Self.many)])
    #expect(throws: RelationError.self) { try relational.commit([.delete(3, in: Self.students)]) }
    #expect(store.content[0][3] != nil && store.content[1][4] != nil)
  }

  @Test(
    .timeLimit(.minutes(15)),
    arguments: [
      ([(1, 2), (2, 3), (3, 1), (4, 4), (5, 1)], [1, 4]),
      // A cycle that does not lead back to the deleted record, and a record that is reached twice.
      ([(1, 2), (2, 3), (3, 2), (1, 4), (4, 3)], [1]),
    ] as [([(from: Int64, to: Int64)], [Int64])])
  func cyclesEnd(friends: [(from: Int64, to: Int64)], deleted: [Int64]) throws {
    let (store, relational) = try open(schema(friends: .cascade))
    try relational.commit(friends.map { .link($0.from, to: $0.to, by: Self.friends) })
    try relational.commit(deleted.map { .delete($0, in: Self.students) })
    #expect(store.content[0].keys.sorted() == [5, 6, 7, 8] && store.content[2].isEmpty)
  }

  /// Compares random graphs with a closure that is computed from the links alone.
  @Test(arguments: 0..<60) func cascadeAndDenyAgreeWithTheClosure(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (store, relational) = try open(schema(.deny, friends: .cascade))
    var friends = Set<[Int64]>()
    var enrolled = Set<Int64>()
    for _ in 0..<Int.random(in: 0...10, using: &random) {
      let link = [Int64.random(in: 1...8, using: &random), Int64.random(in: 1...8, using: &random)]
      friends.insert(link)
      try relational.commit([.link(link[0], to: link[1], by: Self.friends)])
    }
    for key in Int64(1)...8 where Int.random(in: 0..<6, using: &random) == 0 {
      enrolled.insert(key)
      try relational.commit([.link(key, to: 1, by: Self.many)])
    }
    var reached: Set<Int64> = [1]
    for _ in 0..<8 { reached.formUnion(friends.filter { reached.contains($0[0]) }.map { $0[1] }) }
    let before = store.content
    do {
      try relational.commit([.delete(1, in: Self.students)])
      #expect(reached.isDisjoint(with: enrolled))
      #expect(Set(store.content[0].keys) == Set(1...8).subtracting(reached))
      for key in Int64(1)...8 where !reached.contains(key) {
        let kept = friends.filter { $0[1] == key && !reached.contains($0[0]) }.map { $0[0] }.sorted()
        #expect(try relational.sources(of: key, by: Self.friends) == kept)
      }
    } catch is RelationError {
      #expect(!reached.isDisjoint(with: enrolled) && store.content == before)
    }
  }

  @Test func changesSeeThoseBeforeAndFailTogether() throws {
    let (store, relational) = try open(schema(), keys: [1])
    try relational.commit([
      .put(.sample(9), in: Self.students), .link(9, to: 1, by: Self.many), .link(9, to: 1, by: Self.pair),
    ])
    #expect(try relational.destinations(of: 9, by: Self.many) == [1])
    let before = store.content
    #expect(throws: RelationError.missing(key: 5, collection: Self.courses)) {
      try relational.commit([.unlink(9, from: 1, by: Self.many), .link(9, to: 5, by: Self.many)])
    }
    #expect(throws: RelationError.undeclared(RelationshipID(9))) {
      try relational.commit([.link(9, to: 1, by: RelationshipID(9))])
    }
    #expect(store.content == before)
  }

  /// The upper bits of these keys are cut off in the keys of link records, so these owners share records.
  @Test func extremeKeysKeepApart() throws {
    let keys: [Int64] = [.min, -1, 0, 1, 1 << 58, (1 << 58) + 1, .max]
    let (store, relational) = try open(schema(), keys: keys)
    for (index, key) in keys.enumerated() {
      try relational.commit([.link(key, to: keys[(index + 1) % keys.count], by: Self.many)])
    }
    for (index, key) in keys.enumerated() {
      #expect(try relational.destinations(of: key, by: Self.many) == [keys[(index + 1) % keys.count]])
    }
    try relational.commit(keys.map { .delete($0, in: Self.students) })
    #expect(store.content[2].isEmpty)
  }

  @Test func damagedLinksAreReportedAndNotFollowed() throws {
    let (store, relational) = try open(schema())
    for payload in [[1], [UInt8](repeating: 0xFF, count: 16), [UInt8](repeating: 0x7F, count: 24)] {
      let key = LinkRecord.key(of: 1, by: Self.many, .forward)
      try store.commit([.put(.sample(key, payload: payload), in: Self.links)])
      #expect { try relational.destinations(of: 1, by: Self.many) } throws: { error in
        guard case .damaged? = error as? StoreError else { return false }
        return true
      }
    }
  }

  @Test func schemasAreChecked() throws {
    let good = RecordRelationship("a", from: Self.students, to: Self.courses)
    let bad = RecordRelationship("a b", from: Self.students, to: Self.courses)
    let many = (0...32).map { RecordRelationship("r\($0)", from: Self.students, to: Self.courses) }
    for list in [[good, good], [bad], many] {
      #expect(throws: UsageError.self) { try RelationSchema(list, links: Self.links) }
    }
    #expect(throws: UsageError.self) { try RelationSchema([good], links: Self.courses) }
  }
}
