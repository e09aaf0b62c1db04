import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 14: validation before anything is written, with all failures in one error.
@Suite struct ValidationTests {
  /// Teams and players with bounds and patterns of every kind, and required relationships.
  private static let entities = [
    EntityDescription(
      "Player",
      attributes: [
        AttributeDescription("name", .string, optional: false, length: 2...5),
        AttributeDescription("number", .integer16, range: 1...99),
        AttributeDescription("weight", .double, range: 0.5...200),
        AttributeDescription("born", .date, range: 0...1_000),
        AttributeDescription("code", .string, matching: "[A-Z]{2}[0-9]+"),
        AttributeDescription("picture", .binary, length: 1...4),
      ],
      relationships: [
        RelationshipDescription("team", to: "Team", inverse: "players", optional: false),
        RelationshipDescription("friends", toMany: "Player", inverse: "friendOf", count: 2...3),
        RelationshipDescription("friendOf", toMany: "Player", inverse: "friends"),
      ]),
    EntityDescription(
      "Team", attributes: [AttributeDescription("name", .string)],
      relationships: [
        RelationshipDescription("players", toMany: "Player", inverse: "team", optional: false, count: 1...3)
      ]),
  ]

  private func stack(_ type: StoreType) throws -> Stack { try Stack(type, model: ManagedObjectModel(Self.entities)) }

  /// A valid team with players.
  private func team(_ context: ManagedObjectContext, players: Int) throws -> (ManagedObject, [ManagedObject]) {
    let team = try context.insert("Team")
    return (team, try (0..<players).map { try context.insert("Player", ["name": "Ada\($0)", "team": team]) })
  }

  @Test(
    "14: every failure of every object is in one error, and the store is byte for byte as before",
    arguments: Stack.types)
  func allFailures(_ type: StoreType) throws {
    let stack = try stack(type)
    let context = stack.context
    let (team, players) = try team(context, players: 3)
    try context.save()
    let before = try stack.files()

    // An update, an insertion and a deletion, each wrong in several ways.
    try players[0].set(["number": 100, "code": "a1", "friends": Set([players[1]])])
    let new = try context.insert(
      "Player", ["weight": 0.25, "born": Date(timeIntervalSinceReferenceDate: -1), "picture": Data(count: 5)])
    let lonely = try context.insert("Team")
    let (full, _) = try self.team(context, players: 4)
    try context.delete(players[2])
    let error = #expect(throws: ObjectGraphError.self) { try context.save() }
    let failures = try #require(error?.failures)
    let expected: [(ManagedObject, String, String)] = [
      (players[0], "number", "is 100, not 1.0 to 99.0"), (players[0], "code", "does not match [A-Z]{2}[0-9]+"),
      (players[0], "friends", "holds 1 objects, not 2 to 3"), (new, "name", "must not be empty"),
      (new, "weight", "is 0.25, not 0.5 to 200.0"), (new, "born", "is -1.0, not 0.0 to 1000.0"),
      (new, "picture", "has 5 bytes, not 1 to 4"), (new, "team", "must not be empty"),
      (lonely, "players", "must not be empty"), (full, "players", "holds 4 objects, not 1 to 3"),
    ]
    #expect(
      failures.map { "\($0.objectID) \($0.key) \($0.reason)" }.sorted()
        == expected.map { "\($0.objectID) \($1) \($2)" }.sorted())
    #expect(failures.allSatisfy { failure in expected.contains { $0.0.entity.name == failure.entity } })
    // One sentence names entity and key of the first, and how many there are.
    for failure in failures.prefix(3) {
      #expect(error?.description.contains("\(failure.entity).\(failure.key)") == true)
    }
    #expect(error?.description.contains("\(failures.count - 3) more") == true)
    #expect(try stack.files() == before)
    // The changes are still there.
    #expect(new.isInserted && players[0].isUpdated && players[2].isDeleted && team.entity.name == "Team")
    context.rollback()
    try context.save()
    #expect(try stack.files() == before)
  }

  @Test("14: what is at the bounds is good, and an absent optional value needs no check", arguments: Stack.types)
  func bounds(_ type: StoreType) throws {
    let stack = try stack(type)
    let context = stack.context
    let (_, players) = try team(context, players: 3)
    for (player, isLow) in zip(players, [true, false]) {
      try player.set([
        "name": isLow ? "Bo" : "Robin", "number": isLow ? 1 : 99, "weight": isLow ? 0.5 : 200.0,
        "born": Date(timeIntervalSinceReferenceDate: isLow ? 0 : 1_000), "code": isLow ? "AB1" : "XY1234",
        "picture": Data(count: isLow ? 1 : 4), "friends": isLow ? Set(players[1...2]) : Set(players),
      ])
    }
    try context.save()
    #expect(try stack.forgetful().count(for: FetchRequest<ManagedObject>("Player")) == 3)
  }

  @Test("14: a relationship that must not be empty cannot be emptied from either side", arguments: Stack.types)
  func emptied(_ type: StoreType) throws {
    let stack = try stack(type)
    let context = stack.context
    let (team, players) = try team(context, players: 1)
    try context.save()
    try team.setValue(Set<ManagedObject>(), forKey: "players")
    let error = #expect(throws: ObjectGraphError.self) { try context.save() }
    #expect(error?.failures?.map { "\($0.entity).\($0.key)" } == ["Player.team", "Team.players"])
    // The deletion of the team empties it, too, unless the player goes as well.
    context.rollback()
    try context.delete(team)
    #expect(throws: ObjectGraphError.self) { try context.save() }
    try context.delete(players[0])
    try context.save()
    #expect(try stack.forgetful().count(for: FetchRequest<ManagedObject>("Player")) == 0)
  }
}
