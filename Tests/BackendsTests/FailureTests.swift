import Foundation
import GRDBSQLite
import StorageContract
import Testing

@testable import StorageBackends

/// Real failures: full devices, locks, maps that are too small, missing directories.
@Suite struct FailureTests {
  @Test func aLogIsOpenedWhereThereIsNoRoomToWriteItAnew() throws {
    try Subject.with(Configuration("text", ["append=yes"])) { subject in
      let store = try subject.open()
      for number in 0..<300 { try store.commit([.put(Tricky.record(1, "\(number)"))]) }
      try store.close()
      let before = try #require(FileManager.default.contents(atPath: subject.file))
      try FileManager.default.createSymbolicLink(atPath: subject.file + ".tmp", withDestinationPath: "/dev/full")
      let full = try subject.open()
      #expect(!FileManager.default.fileExists(atPath: subject.file + ".tmp"))
      #expect(try full.records(.all, in: .records).map(\.name) == ["299"])
      #expect(FileManager.default.contents(atPath: subject.file) == before)
      try full.commit([.put(Tricky.record(2, "more"))])
      try full.close()
      // When there is space again, the file is rewritten with the same records.
      #expect(try subject.open().records(.all, in: .records).map(\.name) == ["299", "more"])
      let size = try #require(FileManager.default.contents(atPath: subject.file)?.count)
      #expect(size < before.count / 10)
    }
  }

  @Test(arguments: Configuration.shipped.filter { ["plist", "archive", "json"].contains($0.backend) })
  func aMissingDirectoryLeavesMemoryAsItWas(_ configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      let store = try subject.open()
      try store.commit([.put(Tricky.record(1, "before"))])
      let away = subject.directory + "-away"
      try FileManager.default.moveItem(atPath: subject.directory, toPath: away)
      #expect(throws: StoreError.self) { try store.commit([.delete(1), .put(Tricky.record(2, "new"))]) }
      try FileManager.default.moveItem(atPath: away, toPath: subject.directory)
      #expect(try store.records(.all, in: .records).map(\.name) == ["before"])
    }
  }

  @Test func aTemporaryFileThatACrashLeftIsOverwritten() throws {
    try Subject.with(Configuration("plist", [], .crash)) { subject in
      try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: subject.file + ".tmp"))
      let store = try subject.open()
      try store.commit([.put(Tricky.record(1, "one"))])
      #expect(try subject.open().count(in: .records) == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: subject.directory) == ["store.plist"])
    }
  }

  @Test func twoRecordsWithOneKeyAreDamage() throws {
    try Subject.with(Configuration("plist"), collections: ["records"]) { subject in
      let encoder = PropertyListEncoder()
      let bytes = try encoder.encode(["records": [Tricky.record(1, "one"), Tricky.record(1, "two")]])
      try subject.expectDamage(bytes)
    }
  }

  @Test(arguments: [["coder=codable"], ["coder=serialization"]])
  func aPropertyListOfSomethingElseIsDamage(_ options: [String]) throws {
    for value: Any in [["records": ["text"]], ["records": "text"], ["text"], ["records": [["id": 1]]]] {
      let bytes = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
      try Subject.with(Configuration("plist", options), collections: ["records"]) {
        try $0.expectDamage(bytes)
      }
    }
  }

  @Test(arguments: [[], ["secure=no"], ["root=keys"], ["secure=no", "root=keys"]])
  func anArchiveOfSomethingElseIsDamage(_ options: [String]) throws {
    let objects: [(NSObject, String)] = [
      (NSString("text"), "records"), (NSNumber(value: 5), "records"), (NSString("text"), "other"),
      (RowData(Tricky.record(1, "one")), "records"), (NSArray(array: ["text"]), "records"),
      (NSString("text"), "records/"), (NSArray(array: ["1"]), "records/"), (NSArray(array: [1]), "records/"),
    ]
    for (object, key) in objects {
      try Subject.with(Configuration("archive", options), collections: ["records"]) {
        try $0.expectDamage(archive { $0.encode(object, forKey: key) })
      }
    }
  }

  @Test func sqliteCodesAreSorted() {
    let codes: [(Int32, StoreError)] = [
      (SQLITE_FULL, .full("f: m (SQLite 13)")), (SQLITE_READONLY, .readOnly("f: m (SQLite 8)")),
      (SQLITE_BUSY, .busy("f: m (SQLite 5)")), (SQLITE_CORRUPT, .damaged("f: m (SQLite 11)")),
      (SQLITE_NOTADB, .damaged("f: m (SQLite 26)")), (SQLITE_IOERR, .failed("f: m (SQLite 10)")),
      (SQLITE_CORRUPT | (1 << 8), .damaged("f: m (SQLite 267)")),
    ]
    for (code, error) in codes { #expect(StoreError(sqlite: code, "m", path: "/nowhere/f") == error) }
  }

  @Test(arguments: [["map=1MiB"], ["map=1MiB", "writemap=yes"]])
  func aFixedMapFillsUp(_ options: [String]) throws {
    try Subject.withStore(Configuration("lmdb", options)) { store in
      try store.commit([.put(Tricky.record(1, "before"))])
      let error = #expect(throws: StoreError.self) {
        try store.commit((0..<8).map { .put(Tricky.record($0, "big", payload: Tricky.noise(400_000))) })
      }
      #expect(error?.isFull == true)
      #expect(error?.description.hasSuffix("give lmdb a larger map=, or map=auto") == true)
      #expect(try store.records(.all, in: .records).map(\.name) == ["before"])
      try store.commit([.put(Tricky.record(2, "after"))])
      #expect(try store.count(in: .records) == 2)
    }
  }

  @Test(arguments: [[], ["writemap=yes"]])
  func theMapGrowsByItself(_ options: [String]) throws {
    try Subject.with(Configuration("lmdb", options, .crash)) { subject in
      let store = try subject.open()
      let payload = Tricky.noise(1_000_000)
      for start in stride(from: Int64(0), to: 100, by: 20) {
        try store.commit((start..<start + 20).map { .put(Tricky.record($0, "n", payload: payload)) })
        #expect(try store.record(start, in: .records)?.payload == Array(payload))
      }
      #expect(Settings(store.settings)["mapsize"] == "134217728")
      try store.close()
      #expect(try subject.withOpen { try $0.count(in: .records) } == 100)
    }
  }

  @Test(arguments: ["sqlite", "lmdb"] + (LevelDBBackend.description.missing() == nil ? ["leveldb"] : []))
  func aClosedStoreThrows(_ backend: String) throws {
    try Subject.with(Configuration(backend)) { subject in
      let store = try subject.open()
      try store.close()
      #expect(throws: StoreError.self) { try store.commit([.delete(1)]) }
      #expect(throws: StoreError.self) { try store.count(in: .records) }
      if backend == "leveldb" { #expect(throws: StoreError.self) { try store.settle() } }
      // Closing has released the lock of LevelDB.
      try subject.open().close()
    }
  }

  @Test func nullHashesItsArguments() throws {
    let environment = StoreEnvironment(directory: "/nowhere")
    let (one, other) = (try NullBackend(opening: environment), try NullBackend(opening: environment))
    try one.commit([.put(Tricky.record(1, "a"))])
    try other.commit([.put(Tricky.record(2, "a"))])
    #expect(one.hash.pointee != other.hash.pointee)
    var lent: Int64?
    #expect(try one.read(42, in: .records) { lent = $0.id })
    #expect(lent == 42)
  }
}
