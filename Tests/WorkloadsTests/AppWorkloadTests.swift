import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct AppWorkloadTests {
  private static let all: [(id: String, options: [String])] = [
    ("four-lines", []), ("four-lines", ["commits=each"]), ("settings", []), ("settings", ["flush=last"]),
    ("config", []), ("country-crud", []),
    ("country-crud", ["lookup=key"]), ("relations", []), ("cascade", []), ("cascade", ["rule=nullify"]),
    ("cascade", ["rule=deny"]), ("cascade", ["rule=noaction"]), ("cascade", ["fan=1000"]),
    ("reclaim", []), ("reclaim", ["compact=no"]),
    ("migrate", []), ("migrate", ["change=rename"]), ("migrate", ["change=split"]),
    ("purge", []), ("purge", ["by=commit"]), ("purge", ["share=50%"]),
    ("refresh", []), ("refresh", ["way=find"]), ("refresh", ["way=replace"]), ("refresh", ["way=wipe"]),
    ("refresh", ["overlap=0%", "way=replace", "by=batch"]), ("refresh", ["overlap=50%", "way=wipe", "by=batch"]),
  ]

  private func complaint(
    _ id: String, _ options: [String] = [], _ fault: ModelStore.Fault = .none, operations: Int = 12,
    backend: any StorageBackend.Type = ModelStore.self
  ) throws -> String? {
    try WorkloadTrial(id, options: options, fault: fault, backend: backend).complaint(operations: operations)
  }

  @Test(arguments: all)
  func aGoodStorePasses(id: String, options: [String]) throws {
    // Enough operations to use up the classes of cascade and to begin again.
    for operations in [1, 7, 20] { #expect(try complaint(id, options, operations: operations) == nil) }
  }

  @Test(arguments: all)
  func theStateIsWhatTheModelSays(id: String, options: [String]) throws {
    // The digest is that of the operations: more of them, or none, leave another state.
    let digests = try [0, 1, 3].map { operations in
      var digest = ""
      let trial = try WorkloadTrial(id, options: options)
      let workload = try trial.complaint(operations: operations) { digest = $0.digest.text }
      #expect(workload == nil)
      return digest
    }
    #expect(digests[0] != digests[1])
    // Workloads that start from a new store each time leave the same state.
    let isNew = ["reclaim", "migrate", "purge", "refresh"].contains(id)
    #expect((digests[1] == digests[2]) == (isNew || options == ["fan=1000"]))
  }

  @Test(arguments: all.filter { !["migrate"].contains($0.id) })
  func aLostCommitIsNoticed(id: String, options: [String]) throws {
    #expect(try complaint(id, options, .losesCommit(0), operations: 3) != nil)
  }

  @Test func aLostMigrationIsNoticed() throws {
    // A lost attribute reads as its default value, which is correct. A record that was lost is detected.
    #expect(try complaint("migrate", [], .hides(7), operations: 1) == "record 7 is missing")
    #expect(try complaint("migrate", operations: 1, backend: Blank.self) == "record 1 has a wrong favourite")
  }

  @Test(arguments: [
    ("rename", "the records have the attributes 'favourite' and should have only starred"),
    ("drop", "the records have the attributes 'favourite' and should have none"),
    ("rebuild", "the records have the attributes 'favourite' and should have none"),
    ("split", "record 1 has a wrong payload"),
  ])
  func aSchemaThatStaysTheSameIsNoticed(change: String, words: String) throws {
    for operations in [1, 3] { #expect(try complaint("migrate", ["change=\(change)"], operations: operations) == nil) }
    #expect(try complaint("migrate", ["change=\(change)"], operations: 1, backend: OnlyAdds.self) == words)
    // The values differ between records, so that a new attribute is not taken for a renamed one.
    let trial = try WorkloadTrial("migrate", options: ["change=\(change)"])
    let expectation = try trial.session().expectation(after: 1)
    let store = ModelStore(expectation.records())
    try Capability.migrating(of: store).value.add(AddedAttribute("starred", defaultValue: "no"), in: .records)
    #expect(throws: VerificationError.self) { try expectation.check(store) }
  }

  @Test func everyReadIsChecked() throws {
    let reads: [(String, [String], Int64, Int)] = [
      ("four-lines", [], 2, 1), ("settings", [], 40, 200), ("settings", ["flush=last"], 40, 200),
      ("config", [], 1, 1),
      ("country-crud", ["lookup=scan"], 40, 100), ("country-crud", ["lookup=key"], 40, 100),
      ("relations", [], 40, 200),
    ]
    for (id, options, key, operations) in reads {
      let found = try complaint(id, options, .changes(key) { $0.name += "!" }, operations: operations)
      #expect(found == "record \(key) has a wrong name", "\(id)")
    }
  }

  @Test(arguments: ["scan", "key"])
  func aDeletedCountryThatStaysIsNoticed(lookup: String) throws {
    let found = try complaint("country-crud", ["lookup=\(lookup)"], .keepsDeleted)
    #expect(found == "record 1 is there but should not be")
  }

  @Test func aLineTooManyIsNoticed() throws {
    // An app whose saves add rows instead of replacing them has a fifth line.
    let fifth = FourLines.line(4, "text5")
    #expect(try complaint("four-lines", [], .invents(fifth)) == "record 4 is there but should not be")
  }

  @Test func theSettingsFollowTheOperations() throws {
    let trial = try WorkloadTrial("settings")
    func value(_ key: Int64, after operations: Int) throws -> String {
      let record = try trial.session().expectation(after: operations).record(key)
      return String(decoding: record?.payload ?? [], as: UTF8.self)
    }
    // Every third operation looks up a value. The list keeps four, so the first of five look-ups is gone.
    #expect(try value(Setting.recent, after: 1) == "")
    #expect(try value(Setting.recent, after: 5) == "1800\n1200")
    #expect(try value(Setting.recent, after: 15) == "1200\n1803\n1801\n1000")
    let flags = try (0...7).map { try value(Setting.flag, after: $0) }
    #expect(flags == ["false", "true", "true", "true", "false", "false", "false", "true"])
  }

  /// The last flush is that at the end of the app.
  @Test(arguments: [("each", 25), ("last", 3)])
  func settingsAreFlushedEachOrTogether(flush: String, commits: Int) throws {
    let trial = try WorkloadTrial("settings", options: ["flush=\(flush)"])
    #expect(try trial.complaint(operations: 25) == nil)
    #expect(trial.disk.commits == commits)
    let session = try trial.session()
    #expect((0..<20).filter { session.endsInSave($0) } == (flush == "each" ? Array(0..<20) : [9, 19]))
    let counted = trial.workload.countedOperations(records: 100, kind: .wholeFile)
    #expect(counted == (flush == "each" ? 8 : 10))
  }

  @Test(arguments: [("one", 1), ("each", 4)])
  func linesAreSavedTogetherOrOneByOne(commits: String, count: Int) throws {
    let trial = try WorkloadTrial("four-lines", options: ["commits=\(commits)"])
    #expect(try trial.complaint(operations: 3) == nil)
    #expect(trial.disk.commits == 3 * count)
    #expect(trial.disk.records.count == 4)
  }

  @Test(arguments: [("scan", 9), ("key", 0)])
  func countriesAreFoundByReadingAllOrByKey(lookup: String, scans: Int) throws {
    let trial = try WorkloadTrial("country-crud", options: ["lookup=\(lookup)"])
    let session = try trial.session()
    try session.setUp()
    try session.prepare(0..<3)
    let before = trial.disk.scans
    for operation in 0..<3 { try session.perform(operation) }
    #expect(trial.disk.scans - before == scans)
    #expect(trial.disk.commits == 9)
    #expect(trial.disk.records.keys.sorted() == Array(4...63))
  }

  @Test func forgottenLinksAreNoticed() throws {
    let found = try complaint("relations", operations: 1, backend: Unlinked.self)
    #expect(found?.hasSuffix("is missing") == true)
    for rule in ["cascade", "nullify", "noaction"] {
      let found = try complaint("cascade", ["rule=\(rule)"], operations: 1, backend: Unlinked.self)
      #expect(found == "record 2 has wrong links by class_students")
    }
    // No student can be removed from the class, so the class cannot be deleted.
    #expect(throws: RelationError.self) {
      try complaint("cascade", ["rule=deny"], operations: 1, backend: Unlinked.self)
    }
  }

  @Test(arguments: [
    ("cascade", "60 students are left where there should be 50"),
    ("nullify", "50 students are left where there should be 60"),
    ("deny", "record 1 was deleted; the delete rule 'deny' must refuse the deletion because of 10 students"),
  ])
  func aWrongDeleteRuleIsNoticed(rule: String, words: String) throws {
    #expect(try complaint("cascade", ["rule=\(rule)"], operations: 1, backend: Unruly.self) == words)
  }

  @Test func compactingMustKeepWhatIsLeft() throws {
    #expect(try complaint("reclaim", operations: 1, backend: Squeezed.self) == "record 60 is missing")
    #expect(try complaint("reclaim", ["compact=no"], operations: 1, backend: Squeezed.self) == nil)
  }

  @Test func aPurgeDeletesItsShareAndNoMore() throws {
    for (share, count) in [("10%", 6), ("50%", 30)] {
      for by in ["batch", "commit"] {
        let trial = try WorkloadTrial("purge", options: ["share=\(share)", "by=\(by)"])
        #expect(try trial.complaint(operations: 1) == nil)
        #expect(trial.disk.records.count == 60 - count && trial.disk.commits == 1)
      }
      // Both options leave the same records and have the same stream.
      let streams = try ["batch", "commit"].map { by in
        try WorkloadTrial("purge", options: ["share=\(share)", "by=\(by)"]).session().streamHash
      }
      #expect(streams[0] == streams[1])
    }
    #expect(
      try complaint("purge", operations: 1, backend: Miscounting.self)
        == "7 records were deleted where there should be 6")
    #expect(try complaint("purge", [], .keepsDeleted, operations: 1)?.hasSuffix("is there but should not be") == true)
  }

  @Test func bytesChanged() throws {
    func bytes(_ id: String, _ options: [String] = [], by operations: Int) throws -> Int {
      try WorkloadTrial(id, options: options).session().bytesChanged(by: operations)
    }
    let source = GeneratedRecords(count: 60, bytes: 20, seed: 4)
    #expect(try bytes("migrate", by: 3) == 3 * 60 * 2)
    #expect(try bytes("migrate", ["change=split"], by: 2) == 2 * 60 * 20)
    #expect((60 * 2...60 * 2 + 8).contains(try bytes("migrate", ["change=drop"], by: 1)))
    #expect(
      try bytes("reclaim", by: 1) == stride(from: 0, to: 60, by: 2).reduce(0) { $0 + source.record(at: $1).logicalSize }
    )
    let (cascade, nullify) = (try bytes("cascade", by: 2), try bytes("cascade", ["rule=nullify"], by: 2))
    #expect(nullify == 2 * (24 + 7 + 10 * 16))
    #expect(cascade - nullify == (0..<20).reduce(0) { $0 + source.record(at: $1).logicalSize })
    // The bytes of a flag, of a list with one entry, of a value.
    #expect(try bytes("settings", by: 1) == 4)
    #expect(try bytes("settings", by: 2) == 8)
    #expect(try bytes("relations", by: 5) > 5 * 24)
  }

  @Test func fixturesOfOneNameHoldTheSame() throws {
    var fixtures: [String: String] = [:]
    for (id, options) in Self.all {
      let trial = try WorkloadTrial(id, options: options)
      let store = try trial.context.open()
      let digest = try Expectation(trial.context.fixture).check(store).digest.text
      let known = fixtures.updateValue(digest, forKey: trial.workload.fixtureName)
      #expect(known == nil || known == digest, "\(id)")
    }
    #expect(fixtures.count == 12)
  }
}

// Backends with one fault. All else is done by the store in memory.

/// A backend whose schema changes have a fault.
private class FaultyMigration: Faulty, Migrating {
  final var right: any Migrating { Capability.migrating(of: inner).value }

  func change(_ change: SchemaChange, in collection: CollectionID) throws { try right.change(change, in: collection) }

  func attributes(in collection: CollectionID) throws -> Set<String> { try right.attributes(in: collection) }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    try right.scan(keys, with: attribute, in: collection, body)
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    try right.set(attribute, to: value, of: key, in: collection)
  }
}

/// A backend that adds attributes without a value.
private final class Blank: FaultyMigration {
  override func change(_ change: SchemaChange, in collection: CollectionID) throws {
    guard case .add(let attribute) = change else { return try right.change(change, in: collection) }
    try right.add(AddedAttribute(attribute.name, defaultValue: ""), in: collection)
  }
}

/// A backend that adds attributes, but makes no other change of the schema.
private final class OnlyAdds: FaultyMigration {
  override func change(_ change: SchemaChange, in collection: CollectionID) throws {
    if case .add = change { try right.change(change, in: collection) }
  }
}

/// A backend that reports one more deletion than it has made.
private final class Miscounting: Faulty, Bulk {
  private var right: any Bulk { Capability.bulk(of: inner).value }

  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    try right.importRecords(records, into: collection)
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try right.deleteRecords(predicate, in: collection) + 1
  }
}

/// A backend that drops the last record when it compacts.
private final class Squeezed: Faulty, Compacting {
  func compact() throws {
    if let last = try inner.records(.all, in: .records).last { try inner.commit([.delete(last.id)]) }
  }
}

/// A backend that applies another delete rule.
private final class Unruly: Faulty, Relational {
  private lazy var right = Capability.relational(of: inner).value

  func declare(_ schema: RelationSchema) throws {
    let relationships = schema.relationships.map { relationship in
      var relationship = relationship
      relationship.deleteRule = relationship.deleteRule == .nullify ? .cascade : .nullify
      return relationship
    }
    try right.declare(RelationSchema(relationships, links: schema.links))
  }

  func commit(_ changes: [RelationChange]) throws { try right.commit(changes) }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.keys(linkedWith: key, by: relationship, direction)
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    try right.walk(from: key, by: relationship, direction, body)
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.dangling(by: relationship, direction)
  }
}

/// A backend that finds no links.
private final class Unlinked: Faulty, Relational {
  private lazy var right = Capability.relational(of: inner).value

  func declare(_ schema: RelationSchema) throws { try right.declare(schema) }

  func commit(_ changes: [RelationChange]) throws {
    try right.commit(changes.filter { if case .link = $0 { false } else { true } })
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] { [] }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {}

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] { [] }
}

/// A store with a copy in steps that lacks a record, or the saves before the last one.
final class Torn: Faulty, BackingUp {
  static let copiesInSteps = true

  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    let torn = model.disk.copy()
    for _ in 0..<2 { try saves?() }
    let before = model.disk.records
    try saves?()
    let last = model.disk.records.values.filter { before[$0.id]?.isIdentical(to: $0) == false }
    try ModelStore(torn).commit(saves == nil ? [.delete(7)] : last.map { .put($0) })
    ModelStore.mount(torn, at: directory)
  }
}

@Suite struct BackupTests {
  @Test(arguments: [("nothing", "record 7 is missing"), ("saves", "record")])
  func aCopyThatNeverWasAStateIsNoticed(beside: String, words: String) throws {
    let trial = try WorkloadTrial("backup", options: ["beside=\(beside)"], backend: Torn.self)
    let complaint = try trial.complaint(operations: 1, block: 1)
    #expect(
      complaint?.hasPrefix("the copy does not match any state that the store has had: \(words)") == true,
      "\(complaint ?? "none")")
  }

  @Test func withoutACopyOfTheEngineTheStoreIsClosedMeanwhile() throws {
    let trial = try WorkloadTrial("backup")
    #expect(try trial.complaint(operations: 3, block: 1) == nil)
    #expect(trial.disk.openings == 4)
    #expect(try WorkloadTrial("backup", fault: .hides(7)).complaint(operations: 1, block: 1) != nil)
  }
}
