import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Properties of LevelDB that the conformance kit does not test.
@Suite(.enabled(if: LevelDBBackend.description.missing() == nil, "libleveldb1d is missing, so leveldb is not tested"))
struct LevelDBTests {
  private static let configuration = Configuration("leveldb")

  @Test(arguments: zip(Durability.allCases, ["no", "no", "yes", "yes"]))
  func syncFollowsTheLevel(_ durability: Durability, _ sync: String) throws {
    try LevelTests.expectSettings(Configuration("leveldb", [], durability), "sync=\(sync)")
  }

  @Test func theCacheIsAsAsked() throws {
    try LevelTests.expectSettings(Configuration("leveldb", ["cache=1MiB"]), "cache=1MiB")
    #expect(try LevelTests.settings(Configuration("leveldb"))["cache"] == nil)
  }

  @Test func aSecondInstanceIsBusyAndTheFirstGoesOn() throws {
    try Subject.with(Self.configuration) { subject in
      let store = try subject.open()
      let error = #expect(throws: StoreError.self) { _ = try subject.open() }
      #expect(error?.isBusy == true)
      try store.commit([.put(Tricky.record(1, "one"))])
      try store.close()
      #expect(try subject.open().count(in: .records) == 1)
    }
  }

  /// LevelDB itself would create an empty store and remove these files.
  @Test func theFilesOfAStoreWithoutCURRENTStay() throws {
    try Subject.with(Self.configuration) { subject in
      try subject.writeFixture([Tricky.record(1, "one")])
      try FileManager.default.removeItem(atPath: subject.file)
      let names = try FileManager.default.contentsOfDirectory(atPath: subject.directory).sorted()
      let error = #expect(throws: StoreError.self) { _ = try subject.open() }
      #expect(error?.isDamaged == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: subject.directory).sorted() == names)
    }
  }

  @Test(arguments: [
    "", "MANIFEST-000004", "MANIFEST-x\n", "../elsewhere\n", String(repeating: "M", count: 20_000) + "\n",
  ])
  func aCURRENTThatNamesNoManifestIsDamage(_ text: String) throws {
    try Subject.with(Self.configuration) { subject in
      try subject.writeFixture([Tricky.record(1, "one")])
      try subject.expectDamage(Data(text.utf8))
    }
  }

  /// Files of an interrupted creation are not a store yet.
  @Test func aStoreThatWasNeverMadeIsMade() throws {
    try Subject.with(Self.configuration) { subject in
      for name in ["LOCK", "LOG", "MANIFEST-000001", "000001.dbtmp"] {
        try Data((name == "LOCK" ? "" : name).utf8).write(to: URL(fileURLWithPath: "\(subject.directory)/\(name)"))
      }
      let store = try subject.open()
      try store.commit([.put(Tricky.record(1, "one"))])
      #expect(try store.count(in: .records) == 1)
      try store.close()
    }
  }

  @Test(arguments: ["bloom", "no"])
  func aSortedFileHasAFilter(_ filter: String) throws {
    try Subject.withStore(Configuration("leveldb", ["filter=\(filter)"])) { store, subject in
      try store.commit((0..<1_000).map { .put(Tricky.record($0 * 2, "record \($0)")) })
      try store.settle()
      for key in 0..<2_000 as Range<Int64> {
        var found: Int64?
        let isThere = try store.read(key, in: .records) { found = $0.id }
        #expect(isThere == (key % 2 == 0) && found == (isThere ? key : nil))
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: subject.directory).filter { $0.hasSuffix(".ldb") }
      let hasFilter = files.contains { name in
        FileManager.default.contents(atPath: "\(subject.directory)/\(name)")?.firstRange(of: Data("BloomFilter".utf8))
          != nil
      }
      #expect(!files.isEmpty && hasFilter == (filter == "bloom"))
    }
  }

  /// Records that were replaced in memory are freed, too. LevelDB's own compaction keeps them in the last level.
  @Test func compactionGivesBackWhatWasReplaced() throws {
    try Subject.withStore(Configuration("leveldb", ["compression=no"])) { store, subject in
      for round in 0..<4 as Range<UInt64> {
        for number in 0..<50 as Range<Int64> {
          let payload = Tricky.noise(4_000, seed: round)
          try store.commit([.put(Tricky.record(number, "round \(round)", payload: payload))])
        }
      }
      try store.commit((0..<40).map { .delete($0) })
      let compacting = try #require(store as? any Compacting)
      try compacting.compact()
      #expect(try store.records(.all, in: .records).map(\.id) == Array(40..<50))
      let sizes = try FileManager.default.contentsOfDirectory(atPath: subject.directory).map { name in
        try #require(FileManager.default.contents(atPath: "\(subject.directory)/\(name)")).count
      }
      #expect((40_000..<60_000).contains(sizes.reduce(0, +)))
    }
  }
}
