import Foundation
import TestSupport
import Testing

@testable import StorageBackends
@testable import StorageContract
@testable import StorageVerify

/// Links in tables and delete rules in SQL give the same links, records and errors as the emulation.
@Suite struct SQLiteRelationTests {
  static let configurations = Configuration.shipped.filter { ["sqlite", "sqlite-queue"].contains($0.backend) }
  private static let collections = ["people", "odd \"name\" 名", "things", "links"]
  private static let (people, odd, things) = (CollectionID(0), CollectionID(1), CollectionID(2))

  /// Returns a schema with every cardinality and rule in both directions, with cycles through one and three
  /// collections, and with two names that SQLite considers equal.
  private static func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        RecordRelationship("team", from: people, to: odd, destinations: .one, inverseDeleteRule: .deny),
        RecordRelationship("parts", from: odd, to: things, sources: .one, deleteRule: .cascade),
        RecordRelationship("Parts", from: things, to: things, deleteRule: .cascade),
        RecordRelationship(
          "mates", from: people, to: people, destinations: .one, sources: .one, inverseDeleteRule: .cascade),
        RecordRelationship("blocks", from: things, to: people, deleteRule: .deny, inverseDeleteRule: .cascade),
        RecordRelationship("tags", from: people, to: things),
        RecordRelationship("rivals", from: odd, to: odd, deleteRule: .deny, inverseDeleteRule: .deny),
      ], links: CollectionID(3))
  }

  private static let keys: [Int64] = [.min, -1, 0, 1, 2, 3, 4, .max]

  private static func change(_ dice: inout SeededRandom) throws -> RelationChange {
    let relationships = try schema().relationships
    let id = RelationshipID(Int.random(in: relationships.indices, using: &dice))
    // One key never exists.
    let (one, other) = ((keys + [77]).randomElement(using: &dice) ?? 0, keys.randomElement(using: &dice) ?? 0)
    let collection = CollectionID(Int.random(in: 0...2, using: &dice))
    return switch Int.random(in: 0..<40, using: &dice) {
    case 0..<26: .link(other, to: one, by: id)
    case 26..<31: .unlink(one, from: other, by: id)
    case 31..<35: .delete(one, in: collection)
    default: .put(Tricky.record(other, "put again"), in: collection)
    }
  }

  /// Returns the whole content of a store as text.
  private static func content(_ store: any StorageBackend, _ relations: any Relational) throws -> [String] {
    var lines: [String] = []
    for collection in 0...2 {
      let records = try store.records(.all, in: CollectionID(collection))
      lines.append("\(collection): \(records.map { "\($0.id) \($0.name)" })")
    }
    for (index, relationship) in try schema().relationships.enumerated() {
      for key in keys {
        for direction in LinkDirection.allCases {
          let id = RelationshipID(index)
          let linked = try relations.keys(linkedWith: key, by: id, direction)
          var walked: [String] = []
          try relations.walk(from: key, by: id, direction) {
            walked.append("\($0.id) \($0.record().name)")
            return walked.count < 4
          }
          lines.append("\(relationship.name) \(direction) \(key): \(linked) \(walked)")
        }
      }
    }
    return lines
  }

  private static func outcome(_ relations: any Relational, _ changes: [RelationChange]) throws -> String {
    do {
      try relations.commit(changes)
      return "made"
    } catch let error as RelationError {
      return "\(error)"
    }
  }

  /// Runs random changes on a store and on the emulation over a dictionary.
  ///
  /// - Returns: The number of refused changes and of deleted records.
  private static func compare(
    _ configuration: Configuration, seed: UInt64, commits: Int
  ) throws -> (denied: Int, deleted: Int) {
    var dice = SeededRandom(seed: seed)
    return try Subject.with(configuration, collections: collections) { subject in
      var counts = (denied: 0, deleted: 0)
      var store = try subject.open()
      var native = try #require(store as? any Relational)
      let model = try MemoryBackend(opening: StoreEnvironment(directory: "", collections: collections))
      let emulated = RelationEmulation(over: model)
      for relations in [native, emulated] { try relations.declare(schema()) }
      let fill = [people, odd, things].flatMap { collection in
        keys.map { RelationChange.put(Tricky.record($0, "first"), in: collection) }
      }
      for relations in [native, emulated] { try relations.commit(fill) }
      for number in 0..<commits {
        let changes = try (0..<Int.random(in: 1...6, using: &dice)).map { _ in try change(&dice) }
        let outcome = try Self.outcome(emulated, changes)
        #expect(try Self.outcome(native, changes) == outcome, "\(changes)")
        if outcome.contains("denies") { counts.denied += 1 }
        if outcome == "made", changes.contains(where: { if case .delete = $0 { true } else { false } }) {
          counts.deleted += 1
        }
        if number == commits / 2 {
          try store.close()
          store = try subject.open()
          native = try #require(store as? any Relational)
          try native.declare(schema())
        }
        if number % 4 == 3 { #expect(try content(store, native) == content(model, emulated)) }
      }
      #expect(try content(store, native) == content(model, emulated))
      try store.close()
      return counts
    }
  }

  @Test(arguments: configurations.indices)
  func everyConfigurationDoesWhatTheEmulationDoes(_ index: Int) throws {
    _ = try Self.compare(Self.configurations[index], seed: UInt64(index + 1), commits: repetitions(12))
  }

  @Test(arguments: ["sqlite", "sqlite-queue"])
  func longHistoriesDoWhatTheEmulationDoes(_ backend: String) throws {
    var sum = (denied: 0, deleted: 0)
    for seed in UInt64(100)..<UInt64(100 + repetitions(2)) {
      let counts = try Self.compare(Configuration(backend, [], .crash), seed: seed, commits: 120)
      sum = (sum.denied + counts.denied, sum.deleted + counts.deleted)
    }
    // Histories without refusals or deletions would test nothing.
    #expect(sum.denied > 5 && sum.deleted > 5, "\(sum)")
  }

  /// Several relationships deny at once, at several records. The reported denial is that of the emulation.
  @Test(arguments: ["sqlite", "sqlite-queue"], 0..<12)
  func theFirstDenialIsTold(_ backend: String, _ seed: UInt64) throws {
    let relationships = [
      RecordRelationship("next", from: Self.people, to: Self.people, deleteRule: .cascade),
      RecordRelationship("held", from: Self.people, to: Self.things, inverseDeleteRule: .deny),
      RecordRelationship("also", from: Self.people, to: Self.things, deleteRule: .cascade),
      RecordRelationship("holds", from: Self.things, to: Self.odd, deleteRule: .deny),
      RecordRelationship("mine", from: Self.people, to: Self.odd, deleteRule: .deny),
    ]
    let schema = try RelationSchema(relationships, links: CollectionID(3))
    var dice = SeededRandom(seed: seed)
    try Subject.withStore(Configuration(backend, [], .crash), collections: Self.collections, as: (any Relational).self)
    { _, native in
      let model = try MemoryBackend(opening: StoreEnvironment(directory: "", collections: Self.collections))
      let emulated = RelationEmulation(over: model)
      var changes = [Self.people, Self.odd, Self.things].flatMap { collection in
        (Int64(1)...20).map { RelationChange.put(Tricky.record($0, "r"), in: collection) }
      }
      for index in relationships.indices {
        for _ in 0..<(index == 0 ? 30 : 6) {
          let (one, other) = (Int64.random(in: 1...20, using: &dice), Int64.random(in: 1...20, using: &dice))
          changes.append(.link(one, to: other, by: RelationshipID(index)))
        }
      }
      for relations in [native, emulated] {
        try relations.declare(schema)
        try relations.commit(changes)
      }
      var denied: Set<String> = []
      for key in Int64(1)...20 {
        for collection in [Self.people, Self.things] {
          let deletion: [RelationChange] = [.delete(key, in: collection), .link(99, to: 1, by: RelationshipID(0))]
          let outcome = try Self.outcome(emulated, deletion)
          #expect(try Self.outcome(native, deletion) == outcome)
          denied.insert(outcome)
        }
      }
      #expect(denied.count > 2)
    }
  }

  @Test(arguments: configurations)
  func recordsThatArePutAgainKeepTheirLinks(_ configuration: Configuration) throws {
    try Subject.withStore(configuration, collections: Self.collections, as: (any Relational).self) { store, relations in
      let parts = RelationshipID(1)
      #expect(throws: StoreError.self) { try relations.commit([]) }
      #expect(throws: RelationError.undeclared(parts)) { try relations.destinations(of: 1, by: parts) }
      try relations.declare(Self.schema())
      try relations.commit([
        .put(Tricky.record(1, "one"), in: Self.odd), .put(Tricky.record(2, "two"), in: Self.things),
        .link(1, to: 2, by: parts),
      ])
      // The store commits without its relations, and so does not maintain links.
      try store.commit([.put(Tricky.record(1, "one again"), in: Self.odd)])
      try store.commit([.delete(2, in: Self.things)])
      #expect(try relations.destinations(of: 1, by: parts) == [2])
      try relations.walk(from: 1, by: parts, .forward) { _ in
        Issue.record("the record is gone")
        return true
      }
      try relations.commit([.delete(1, in: Self.odd)])
      #expect(try relations.destinations(of: 1, by: parts).isEmpty && store.count(in: Self.odd) == 0)
    }
  }

  @Test(arguments: configurations.filter { $0.backend == "sqlite" })
  func walksNest(_ configuration: Configuration) throws {
    try Subject.withStore(configuration, collections: Self.collections, as: (any Relational).self) { _, relations in
      let nested = RelationshipID(2)
      try relations.declare(Self.schema())
      try relations.commit(
        (Int64(1)...6).map { .put(Tricky.record($0, "t"), in: Self.things) }
          + [(1, 2), (1, 3), (2, 4), (2, 5), (3, 6)].map { .link($0.0, to: $0.1, by: nested) })
      var found: [Int64] = []
      try relations.walk(from: 1, by: nested, .forward) { outer in
        try relations.walk(from: outer.id, by: nested, .forward) { inner in
          found.append(inner.id)
          return true
        }
        found += try relations.sources(of: outer.id, by: nested)
        return true
      }
      #expect(found == [4, 5, 1, 6, 1])
    }
  }

  /// The content of the file as other programs see it, without traces of a deletion.
  @Test(arguments: ["sqlite", "sqlite-queue"])
  func linksAreRowsAndFoundByIndexes(_ backend: String) throws {
    try Subject.with(Configuration(backend), collections: Self.collections) { subject in
      let store = try subject.open()
      let relations = try #require(store as? any Relational)
      try relations.declare(Self.schema())
      try relations.commit([
        .put(Tricky.record(1, "one"), in: Self.people), .put(Tricky.record(2, "two"), in: Self.things),
        .link(1, to: 2, by: RelationshipID(5)),
      ])
      try store.close()

      let connection = try SQLiteConnection(path: subject.file)
      #expect(try connection.text("SELECT source || ' ' || destination FROM links_5_tags") == "1 2")
      #expect(try connection.text("SELECT COUNT(*) FROM links") == "0")
      let records = SQLiteRecordSchema(collections: Self.collections, SQLiteKeys(Options()))
      let tables = try SQLiteRelations(Self.schema(), over: records)
      try connection.execute(SQLiteRelations.notesCreation)
      for index in try Self.schema().relationships.indices {
        let links = try tables[RelationshipID(index)]
        for sql in links.keys + links.walk + [links.insert, links.delete] {
          #expect(try Self.scans(sql, connection).isEmpty, "\(sql)")
        }
      }
      for collection in [Self.people, Self.odd, Self.things] {
        let deletion = try tables[collection]
        for sql in deletion.removal.dropLast() { #expect(try Self.scans(sql, connection).isEmpty, "\(sql)") }
        #expect(try Self.scans(deletion.reach, connection).allSatisfy { $0 == "SCAN reached" })
        let denial = try #require(deletion.denial)
        #expect(try Self.scans(denial, connection).allSatisfy { $0.hasPrefix("SCAN (subquery") })
      }
      try connection.close()
    }
  }

  /// Returns the lines of a query plan that scan a whole table, except for constant rows.
  private static func scans(_ sql: String, _ connection: SQLiteConnection) throws -> [String] {
    let lines = try connection.plan(sql)
    #expect(!lines.isEmpty)
    return lines.filter { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" }
  }

  @Test(arguments: ["sqlite", "sqlite-queue"])
  func schemasThatDoNotFitAreRefused(_ backend: String) throws {
    try Subject.withStore(Configuration(backend), collections: ["a", "LINKS_0_x", "l"], as: (any Relational).self) {
      store, relations in
      let taken = RecordRelationship("x", from: .records, to: CollectionID(1))
      #expect(throws: StoreError.self) { try relations.declare(RelationSchema([taken], links: CollectionID(2))) }
      let absent = RecordRelationship("y", from: .records, to: CollectionID(9))
      #expect(throws: StoreError.self) { try relations.declare(RelationSchema([absent], links: CollectionID(2))) }
      // An empty schema is valid, and a store that has refused one can be used.
      try relations.declare(RelationSchema([], links: CollectionID(2)))
      try relations.commit([.put(Tricky.record(1, "one")), .delete(1), .delete(2)])
      #expect(try store.count(in: .records) == 0)
      #expect(throws: RelationError.undeclared(RelationshipID(0))) {
        try relations.commit([.put(Tricky.record(1, "one")), .unlink(1, from: 1, by: RelationshipID(0))])
      }
      #expect(try store.count(in: .records) == 0)
    }
  }
}
