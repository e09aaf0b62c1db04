import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Formats and behaviour of this package that the conformance kit does not test.
@Suite struct StoreTests {
  @Test(arguments: Configuration.shipped.filter { ["plist", "archive", "json"].contains($0.backend) })
  func wholeFilesThatWereCutAreDamaged(_ configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      try subject.writeFixture(Array(Tricky.records.prefix(5)))
      let whole = try #require(FileManager.default.contents(atPath: subject.file))
      for bytes in [Data(), Data("bplist00".utf8), whole.prefix(whole.count / 2)] { try subject.expectDamage(bytes) }
    }
  }

  /// Without the refusal, the store would look empty, and 256 more directories would stay in it.
  @Test(arguments: [("1", "256"), ("256", "1")])
  func `files of another fan= are refused and stay`(_ made: String, _ given: String) throws {
    try Subject.with(Configuration("files", ["fan=\(made)"])) { subject in
      let record = Record(id: 10, name: "a", group: "g", score: 1, modified: 0, payload: [1])
      try subject.withOpen { try $0.commit([.put(record)]) }
      let other = Subject(Configuration("files", ["fan=\(given)"]), directory: subject.directory)
      let error = #expect(throws: StoreError.self) { _ = try other.open() }
      #expect("\(try #require(error))".contains("fan="), "\(String(describing: error))")
      // Tools that copy only files leave out empty directories.
      if made == "256" { #expect(rmdir("\(subject.directory)/records.collection/00") == 0) }
      #expect(try subject.withOpen { try $0.record(10, in: .records) }?.isIdentical(to: record) == true)
    }
  }

  /// LMDB would change the order of the keys in the file, and then find only some of them.
  @Test(
    arguments: Backends.all.map { $0.description }.filter { ["lmdb", "mdbx"].contains($0.id) && $0.missing() == nil }
      .map(\.id), [("integer", "uuid4"), ("uuid4", "integer")])
  func `a store of LMDB with other keys is refused and stays`(_ backend: String, _ ids: (String, String)) throws {
    for named in ["named=no", "named=yes"] {
      func subject(_ ids: String, _ directory: String) -> Subject {
        Subject(Configuration(backend, ["ids=\(ids)", named]), directory: directory, collections: ["records"])
      }
      try Subject.with(Configuration(backend)) {
        let (made, other) = (subject(ids.0, $0.directory), subject(ids.1, $0.directory))
        try made.writeFixture(Tricky.records)
        let error = #expect(throws: StoreError.self) { _ = try other.open() }
        #expect("\(try #require(error))".contains("another ids="), "\(named): \(String(describing: error))")
        let again = try made.open()
        for record in Tricky.records {
          #expect(try again.record(record.id, in: .records)?.isIdentical(to: record) == true, "\(record.id)")
        }
        try again.close()
      }
    }
  }

  @Test(arguments: ["plist", "archive", "json"], ["yes", "no"])
  func aSplitStoreWritesTheFilesThatACommitChanges(_ backend: String, _ atomic: String) throws {
    try Subject.with(Configuration(backend, ["split=16", "atomic=\(atomic)"])) { subject in
      func inodesAndBytes() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: subject.directory).filter { $0 != ".commit" }
        let files = try names.map { name in
          let path = "\(subject.directory)/\(name)"
          let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber
          return (name, "\(number ?? 0) \(FileManager.default.contents(atPath: path)?.hashValue ?? 0)")
        }
        return Dictionary(uniqueKeysWithValues: files)
      }
      let store = try subject.open()
      try store.commit((-8..<24).map { .put(Tricky.record($0, "old")) })
      let before = try inodesAndBytes()
      #expect(before.keys.sorted() == (0..<16).map { "store-\($0).\(backend)" }.sorted())
      try store.commit([.put(Tricky.record(-1, "new")), .put(Tricky.record(31, "new")), .delete(3)])
      let after = try inodesAndBytes()
      #expect(before.keys.filter { before[$0] != after[$0] }.sorted() == ["store-15.\(backend)", "store-3.\(backend)"])
      #expect(try subject.open().records(.all, in: .records) == store.records(.all, in: .records))
      // A file under the name of another one holds records that belong elsewhere.
      try FileManager.default.removeItem(atPath: subject.file)
      try FileManager.default.copyItem(atPath: "\(subject.directory)/store-3.\(backend)", toPath: subject.file)
      #expect(throws: StoreError.damaged("store-1.\(backend) holds a record that belongs in another file")) {
        try subject.open()
      }
    }
  }

  /// Without GRDB, which creates and drops a table whenever it opens in WAL mode, and LevelDB, which begins a log.
  @Test(arguments: Configuration.stored.filter { !["sqlite-queue", "leveldb"].contains($0.backend) })
  func openingWritesNothing(_ configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      try subject.writeFixture([Tricky.record(1, "one")])
      try subject.open().close()
      let before = FileManager.default.contents(atPath: subject.file)
      try subject.open().close()
      #expect(before != nil && FileManager.default.contents(atPath: subject.file) == before)
    }
  }
}

@Suite struct NestingTests {
  @Test(arguments: Configuration.shipped.filter { $0.backend != "sqlite-queue" })
  func readsAndCommitsInsideAScan(_ configuration: Configuration) throws {
    try Subject.withStore(configuration) { store in
      try store.commit((0..<20).map { .put(Tricky.record($0, "old")) })
      var names: [String] = []
      // With a connection for each operation, the scan holds a lock that the commit needs, except in WAL mode.
      let canCommit = !configuration.options.contains("connection=per-operation")
      try store.scan(0...9, in: .records) { view in
        if canCommit { try store.commit([.put(Tricky.record(10 + view.id, "new"))]) }
        names.append(try store.record(10 + view.id, in: .records)?.name ?? "absent")
        return true
      }
      #expect(names == Array(repeating: canCommit ? "new" : "old", count: 10))
    }
  }
}
