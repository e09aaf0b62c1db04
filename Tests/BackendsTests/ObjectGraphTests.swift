import Foundation
import Testing

@testable import StorageBackends
@testable import StorageContract
@testable import StorageVerify

/// The native features of the backend object-graph give the same results as the emulations, for each kind of store.
@Suite struct ObjectGraphBackendTests {
  static let configurations = ["sqlite", "binary", "xml", "memory"].map {
    Configuration("object-graph", ["store=\($0)"])
  }

  /// Records with few names, groups and scores, so that queries find several.
  private static let records: [Record] = {
    let names = ["", "Ada", "Adam", "adam", "Zoë", "李"]
    let groups = ["", "a", "b", "B", "ü"]
    return (1...300).map { (number: Int) -> Record in
      Record(
        id: Int64(number * 7_919 % 1_000), name: "\(names[number % 6])\(number % 4)", group: groups[number % 5],
        score: Double(number % 11 - 5), modified: Double(number % 13), payload: [UInt8(number % 256)])
    }
  }()

  /// A report calls the difference to the engine's row the library's cost, so both must store the same.
  @Test(arguments: [
    ("sqlite-queue", [], true), ("sqlite-queue", ["journal=wal", "pool=no"], true),
    ("sqlite-queue", ["ids=uuid4"], false), ("sqlite-queue", ["rowid=no"], false),
    ("sqlite-queue", ["page=8192"], false), ("object-graph", [], true), ("object-graph", ["ids=uuid4"], false),
    ("object-graph", ["store=xml"], false),
  ])
  func aLibraryIsComparedWithItsEngineOnlyIfBothStoreTheSame(id: String, texts: [String], runsOnSQLite: Bool) throws {
    let description = try #require(Backends.all.first { $0.description.id == id }).description
    let options = try Options(parsing: texts, specs: description.options, owner: "backend \(id)")
    #expect(description.runsOn(options) == (runsOnSQLite ? "sqlite" : nil))
  }

  @Test(arguments: configurations)
  func oneUndoTakesASaveBack(_ configuration: Configuration) throws {
    let options = configuration.options + ["undo=yes"]
    try Subject.withStore(Configuration("object-graph", options), as: ObjectGraphBackend.self) { store, graph in
      func content() throws -> [[Record]] { try (0...1).map { try store.records(.all, in: CollectionID($0)) } }
      let odd = CollectionID(1)
      try store.commit((0..<5).map { .put(Self.records[$0]) } + [.put(Self.records[5], in: odd)])
      let before = try content()
      // One save with fetches between its changes: an edit, a deletion and insertions in two collections.
      try graph.transaction { transaction in
        var edited = Self.records[0]
        edited.name = "edited"
        try transaction.put(edited)
        #expect(try transaction.records().count == 5)
        try transaction.delete(Self.records[1].id)
        try transaction.put(Self.records[6])
        try transaction.put(Self.records[7], in: odd)
      }
      #expect(try content() != before)
      // A refused change leaves nothing to undo, as after a rollback in Core Data.
      let context = graph.graph.context
      try context.undo()
      #expect(try content() == before)
      try context.save()
      #expect(try content() == before)
      #expect(throws: UsageError.self) { try graph.transaction { _ in throw UsageError("refused") } }
      #expect(context.undoManager?.canUndo == false)
      try store.commit([.delete(Self.records[2].id)])
      try context.undo()
      #expect(try content() == before)
      try context.save()
    }
  }

  @Test func anAttributeIsNotSetBesideARunningTransaction() throws {
    try Subject.withStore(Configuration("object-graph")) { store in
      try store.commit([.put(Self.records[0])])
      let migrating = try #require(store as? any Migrating)
      let attribute = try AddedAttribute("note", defaultValue: "old")
      try migrating.add(attribute, in: .records)
      try #require(store as? any Transactional).transaction { _ in
        #expect(throws: StoreError.self) {
          try migrating.set(attribute, to: "new", of: Self.records[0].id, in: .records)
        }
        #expect(throws: StoreError.self) { try store.commit([.delete(Self.records[0].id)]) }
      }
      #expect(try migrating.value(of: attribute, for: Self.records[0].id, in: .records) == "old")
    }
  }

  @Test(arguments: configurations.filter { $0.options != ["store=memory"] })
  func anIndexIsLearntFromTheStore(_ configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      let first = try #require(try subject.open() as? ObjectGraphBackend)
      try first.commit(Self.records.prefix(3).map { Change.put($0) })
      #expect(try first.index(.score, in: .records))
      try first.close()
      let again = try #require(try subject.open() as? ObjectGraphBackend)
      #expect(try again.graph.entity(.records).hasIndex(.score))
      try again.close()
    }
  }

  @Test(arguments: ["sqlite", "binary", "xml", "memory"])
  func queriesTransactionsMigrationsAndLinksAreThoseOfTheEmulation(_ store: String) throws {
    let checks: [any ConformanceCheck.Type] = [
      QueryCheck.self, TransactionCheck.self, MigrationCheck.self, RelationCheck.self,
    ]
    try expectKept("object-graph", checks, options: "store=\(store)")
  }

  /// A relationship changes the model, and so do later attributes. No change may lose the others.
  @Test(arguments: configurations)
  func linksStayWhenTheModelChanges(_ configuration: Configuration) throws {
    let keeps = configuration.options != ["store=memory"]
    let schema = try RelationSchema([RecordRelationship("likes", from: .records, to: .records)], links: CollectionID(1))
    let note = try AddedAttribute("note", defaultValue: "none")
    let likes = RelationshipID(0)
    try Subject.with(configuration, collections: ["records", "links"]) { subject in
      var graph = try #require(try subject.open() as? ObjectGraphBackend)
      try graph.commit(
        (1...4).map { Change.put(Record(id: $0, name: "", group: "", score: 0, modified: 0, payload: [])) })
      try graph.declare(schema)
      try graph.commit([
        RelationChange.link(1, to: 2, by: likes), .link(1, to: 1, by: likes), .link(3, to: 2, by: likes),
      ])
      try graph.add(note, in: .records)
      for isOpenedAgain in keeps ? [false, true] : [false] {
        if isOpenedAgain {
          try graph.close()
          graph = try #require(try subject.open() as? ObjectGraphBackend)
          try graph.declare(schema)
        }
        #expect(try graph.keys(linkedWith: 1, by: likes, .forward) == [1, 2])
        #expect(try graph.keys(linkedWith: 2, by: likes, .inverse) == [1, 3])
        #expect(try graph.value(of: note, for: 1) == "none")
      }
      try graph.commit([RelationChange.delete(2)])
      #expect(try graph.keys(linkedWith: 1, by: likes, .forward) == [1])
      #expect(try graph.keys(linkedWith: 3, by: likes, .forward) == [])
      try graph.close()
    }
  }
}
