import StorageContract
import Testing

@testable import StorageWorkloads

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
