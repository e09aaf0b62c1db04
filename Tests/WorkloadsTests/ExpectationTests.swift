import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct ExpectationTests {
  private let source = RecordList([1, 3, 5, 7].map { Record.sample($0) })

  /// Checks a store against the source with changes applied, and returns the complaint.
  private func complaint(_ fault: ModelStore.Fault = .none, after changes: [Change] = []) -> VerificationError? {
    do {
      _ = try Expectation(source).after(changes).check(ModelStore(source.all, fault: fault))
      return nil
    } catch {
      return error as? VerificationError
    }
  }

  @Test func aStoreThatHoldsWhatItShould() throws {
    let totals = try Expectation(source).check(ModelStore(source.all))
    #expect(totals.records == 4)
    #expect(totals.storedBytes == source.all.reduce(0) { $0 + $1.logicalSize })
    #expect(totals.digest != StableHash())
  }

  @Test func theDigestIsOfTheContent() throws {
    let totals = try Expectation(source).check(ModelStore(source.all.reversed()))
    #expect(try Expectation(source).check(ModelStore(source.all)) == totals)
    let changed = source.all[1].with { $0.score += 1 }
    let other = Expectation(source).after([.put(changed)])
    let store = ModelStore(source.all)
    try store.commit([.put(changed)])
    #expect(try other.check(store).digest != totals.digest)
  }

  @Test func withoutADigestTheSameIsChecked() throws {
    let totals = try Expectation(source).check(ModelStore(source.all), hashes: false)
    #expect(totals.records == 4 && totals.storedBytes > 0 && totals.digest == StableHash())
    #expect(throws: VerificationError(key: 5, "is missing")) {
      try Expectation(source).check(ModelStore(source.all, fault: .hides(5)), hashes: false)
    }
    #expect(throws: VerificationError(key: 5, "has a wrong payload")) {
      let fault = ModelStore.Fault.changes(5) { $0.payload.append(1) }
      _ = try Expectation(source).check(ModelStore(source.all, fault: fault), hashes: false)
    }
  }

  /// Decoding to a string would repair invalid bytes, and the string could equal the expected one.
  @Test func aTextThatIsNotUTF8() throws {
    let record = Record.sample(1).with { $0.name = "\u{FFFD}" }
    let source = RecordList([record])
    record.withView { #expect(record.isIdentical(to: $0) && source.isRecord($0, at: 0)) }
    withUnsafeBytes(of: UInt8(0xFF)) { bytes in
      record.withView { view in
        let broken = RecordView(
          id: view.id, score: view.score, modified: view.modified, name: bytes, group: view.group,
          payload: view.payload)
        #expect(broken.record().name == record.name)
        #expect(!record.isIdentical(to: broken) && !source.isRecord(broken, at: 0))
      }
    }
  }

  @Test(arguments: [Int64(1), 5, 7])
  func missing(key: Int64) {
    let complaint = complaint(.hides(key))
    #expect(complaint == VerificationError(key: key, "is missing"))
    #expect(complaint?.description == "record \(key) is missing")
  }

  @Test(arguments: [Int64(0), 4, 9])
  func extra(key: Int64) {
    #expect(complaint(.invents(.sample(key))) == VerificationError(key: key, "is there but should not be"))
  }

  @Test func wrongFieldsAreNamed() {
    for (name, change) in Record.changes where name != "id" {
      #expect(complaint(.changes(5, change))?.description == "record 5 has a wrong \(name)")
    }
    let two = complaint(
      .changes(5) {
        $0.name = ""; $0.payload = []
      })
    #expect(two?.description == "record 5 has a wrong name, payload")
  }

  @Test func aWrongCount() {
    let complaint = complaint(.miscounts(1))
    #expect(complaint?.key == nil)
    #expect(complaint?.description == "the store counts 5 records, but holds 4")
  }

  @Test func changesTakeThePlaceOfTheSource() throws {
    let changes: [Change] = [
      .put(.sample(4)), .put(Record.sample(1).with { $0.name = "new" }), .delete(3), .delete(100), .put(.sample(9)),
      .delete(9), .put(.sample(3)), .delete(3),
    ]
    let expectation = Expectation(source).after(changes)
    let store = ModelStore(source.all)
    for change in changes { try store.commit([change]) }
    #expect(try expectation.check(store).records == 4)
    #expect(expectation.record(1)?.name == "new")
    #expect(expectation.record(3) == nil)
    #expect(expectation.record(7)?.id == 7)
    #expect(expectation.record(8) == nil)
    // A missing change is detected.
    #expect(complaint(after: changes)?.key == 1)
    #expect(complaint(after: [.delete(3)])?.description == "record 3 is there but should not be")
    #expect(complaint(after: [.put(.sample(8))])?.description == "record 8 is missing")
  }

  @Test func withoutASourceTheStoreIsEmpty() throws {
    #expect(try Expectation(nil).check(ModelStore([])).records == 0)
    #expect(throws: VerificationError(key: 2, "is there but should not be")) {
      try Expectation(nil).check(ModelStore([.sample(2)]))
    }
  }

  @Test func textsAreComparedByteForByte() {
    let record = Record.sample(1).with { $0.name = "é" }
    let other = record.with { $0.name = "e\u{301}" }
    #expect(record.name == other.name)
    #expect(throws: VerificationError(key: 1, "has a wrong name")) {
      try Expectation.compare(other, with: record, key: 1)
    }
  }
}

/// Computes the expected links with two independent implementations.
@Suite struct LinkModelTests {
  private let people = CollectionID(0)
  private let teams = CollectionID(1)

  /// Returns a schema with every rule on both sides, to-one and to-many, and a relationship within a collection.
  private func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        RecordRelationship("team", from: people, to: teams, destinations: .one, inverseDeleteRule: .deny),
        RecordRelationship("owns", from: people, to: teams, sources: .one, deleteRule: .cascade),
        RecordRelationship("friends", from: people, to: people, deleteRule: .nullify, inverseDeleteRule: .cascade),
        RecordRelationship("rivals", from: teams, to: teams, destinations: .one, sources: .one, deleteRule: .deny),
      ], links: CollectionID(2))
  }

  private func change(_ random: inout RandomStream) -> RelationChange {
    let (one, other) = (Int64(random.below(8)), Int64(random.below(8)))
    let relationship = RelationshipID(random.below(4))
    return switch random.below(8) {
    case 0, 1: .put(.sample(one), in: CollectionID(random.below(2)))
    case 2: .delete(one, in: CollectionID(random.below(2)))
    case 3: .unlink(one, from: other, by: relationship)
    default: .link(one, to: other, by: relationship)
    }
  }

  @Test(arguments: 0..<20)
  func aStoreAndTheModelComeToTheSame(seed: UInt64) throws {
    let fixture = Fixture(
      [RecordList((0..<8).map { .sample($0) }), RecordList((0..<8).map { .sample($0) })], schema: try schema())
    let store = ModelStore([])
    try fixture.fill(store)
    let relations = Capability.relational(of: store).value
    try relations.declare(try schema())
    var expectation = Expectation(fixture)
    var random = RandomStream(seed: seed)
    var refused = 0
    for _ in 0..<200 {
      let change = change(&random)
      let (found, expected) = (
        Result { try relations.commit([change]) }, Result { try expectation.apply(linked: change) }
      )
      switch (found, expected) {
      case (.success, .success): break
      case (.failure(let error), .failure(let right)):
        refused += 1
        #expect(error as? RelationError == right as? RelationError)
      default: Issue.record("\(change): \(found), but expected \(expected)")
      }
    }
    #expect(refused > 0)
    _ = try expectation.check(store)
    // The check detects an additional link.
    let changes: [RelationChange] = [.put(.sample(1)), .put(.sample(2)), .unlink(1, from: 2, by: RelationshipID(2))]
    try relations.commit(changes)
    for change in changes { try expectation.apply(linked: change) }
    try relations.commit([.link(1, to: 2, by: RelationshipID(2))])
    #expect(throws: VerificationError(key: 1, "has wrong links by friends")) { try expectation.check(store) }
  }
}
