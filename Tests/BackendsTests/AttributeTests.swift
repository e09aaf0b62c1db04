import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Attributes as columns, and the compaction of files: the native implementations of engines.
@Suite struct AttributeTests {
  static let sqlite = Configuration.shipped.filter { ["sqlite", "sqlite-queue"].contains($0.backend) }
  private static let second = CollectionID(1)

  @Test(arguments: sqlite)
  func aColumnHasItsDefaultWhateverItHolds(configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      var store = try subject.open()
      // The collection whose name needs quoting.
      try store.commit(Tricky.records.map { .put($0, in: Self.second) })
      let attributes = try ["it's", "", "NUL\0 inside", "名前"].enumerated().map {
        try AddedAttribute("a\($0)", defaultValue: $1)
      }
      for attribute in attributes {
        try Capability.migrating(of: store).value.add(attribute, in: Self.second)
        try Capability.migrating(of: store).value.add(attribute, in: Self.second)
      }
      try store.close()
      store = try subject.open()
      let migrating = Capability.migrating(of: store)
      #expect(migrating.isNative)
      for attribute in attributes {
        var found = 0
        try migrating.value.scan(.all, with: attribute, in: Self.second) { view, value in
          #expect(value.hasSameBytes(as: attribute.defaultValue), "\(attribute.name) of \(view.id)")
          found += 1
          return true
        }
        #expect(found == Tricky.records.count)
      }
      let new = "a\0'b"
      #expect(try migrating.value.set(attributes[0], to: new, of: 0, in: Self.second))
      #expect(try migrating.value.value(of: attributes[0], for: 0, in: Self.second)?.hasSameBytes(as: new) == true)
      #expect(try !migrating.value.set(attributes[0], to: new, of: 404, in: Self.second))
      // An attribute that was never added must not be read as a text with its own name.
      let unknown = try AddedAttribute("unknown", defaultValue: "x")
      #expect(throws: StoreError.self) {
        try migrating.value.scan(.all, with: unknown, in: Self.second) { _, _ in true }
      }
      try store.close()
    }
  }

  @Test(
    arguments: sqlite + [
      Configuration("sqlite", ["ids=uuid4"]), Configuration("sqlite-queue", ["ids=uuid7-text", "rowid=no"]),
    ])
  func aRebuiltTableKeepsAllElse(configuration: Configuration) throws {
    try Subject.withStore(configuration) { store, subject in
      // Without the first, the rowids of UUIDs are no more 1 to N.
      try store.commit((0..<9).map { .put(Tricky.record($0, "word \($0)"), in: Self.second) })
      try store.commit([.delete(0, in: Self.second)])
      let migrating = Capability.migrating(of: store).value
      let (gone, kept) = (
        try AddedAttribute("gone", defaultValue: ""), try AddedAttribute("kept", defaultValue: "it's")
      )
      for attribute in [gone, kept] { try migrating.add(attribute, in: Self.second) }
      #expect(try migrating.set(kept, to: "x", of: 3, in: Self.second))
      #expect(try Capability.querying(of: store).value.index(.name, in: Self.second))
      let (type, options) = try configuration.resolved()
      if try #require(type as? any TextSearching.Type).indexesWords(options) {
        try Capability.textSearching(of: store).value.indexWords(in: Self.second)
      }
      /// Returns all that the database has, but for the table's own text.
      func objects() throws -> String? {
        try SQLiteConnection(path: subject.file).text(
          "SELECT group_concat(name || sql) FROM (SELECT * FROM sqlite_master WHERE type <> 'table' ORDER BY name)")
      }
      let (records, before) = (try store.records(.all, in: Self.second), try objects())
      try migrating.change(.drop(gone, byRebuild: true), in: Self.second)
      #expect(try migrating.attributes(in: Self.second) == ["kept"])
      #expect(try store.records(.all, in: Self.second) == records)
      #expect(try objects() == before)
      #expect(try (1..<9).map { try migrating.value(of: kept, for: $0, in: Self.second) }.count { $0 == "it's" } == 7)
      let found = try Capability.textSearching(of: store).value.records(holding: TextWord("8"), in: Self.second)
      #expect(found.map(\.id) == [8])
    }
  }

  @Test(
    arguments: sqlite + [Configuration("lmdb"), Configuration("lmdb", ["map=1MiB"]), Configuration("object-graph")])
  func compactingCutsTheFile(configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      let store = try subject.open()
      let records = (0..<400).map { Tricky.record($0, "record \($0)", payload: Data(count: 1_000)) }
      try store.commit(records.map { .put($0) })
      try store.commit((0..<400).filter { $0 % 4 > 0 }.map { .delete($0) })
      try store.settle()
      func size() throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: subject.file)[.size] as? Int)
      }
      let full = try size()
      let compacting = Capability.compacting(of: store, in: try subject.environment())
      #expect(compacting.isNative)
      try compacting.value.compact()
      #expect(try size() < full / 2)
      #expect(try store.records(.all, in: .records).map(\.id) == (0..<100).map { $0 * 4 })
      #expect(throws: Never.self) { try compacting.value.compact() }
      // The store stays open, and later commits are kept.
      try store.commit([.put(Tricky.record(7, "later"))])
      try store.close()
      let again = try subject.open()
      #expect(try again.count(in: .records) == 101)
      #expect(try again.record(7, in: .records)?.name == "later")
      try again.close()
    }
  }

  /// A copy left by a crash is replaced, a compaction inside a read is refused, and neither leaves files.
  @Test(arguments: Durability.allCases)
  func compactingOfLMDBLeavesNothingBehind(durability: Durability) throws {
    try Subject.with(Configuration("lmdb", [], durability)) { subject in
      let store = try subject.open()
      try store.commit((0..<100).map { .put(Tricky.record($0, "record \($0)")) })
      try FileManager.default.createDirectory(
        atPath: "\(subject.directory)/compacted", withIntermediateDirectories: false)
      try Data("half".utf8).write(to: URL(fileURLWithPath: "\(subject.directory)/compacted/data.mdb"))
      let compacting = try #require(store as? any Compacting)
      let error = #expect(throws: StoreError.self) { try store.read(1, in: .records) { _ in try compacting.compact() } }
      #expect(error?.isBusy == true)
      try compacting.compact()
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: subject.directory).sorted() == ["data.mdb", "lock.mdb"])
      #expect(try store.count(in: .records) == 100)
      try store.close()
      #expect(throws: StoreError.self) { try compacting.compact() }
    }
  }
}
