import Foundation
import StorageContract
import StorageWorkloads
import Testing

@testable import StorageBackends

/// Aged stores: equal files from equal seeds, and the page layout that engines report.
@Suite struct AgedStoreTests {
  private static let source = GeneratedRecords(count: 400, bytes: 100, seed: 3)

  private static let deletions: [Change] = (0..<300).map { Change.delete(source.key(at: $0)) }

  /// Ages a store, calls the body with its directory, and removes it.
  private static func live<Result>(
    _ backend: any StorageBackend.Type, _ options: [String] = [], times: Int = 3, seed: UInt64 = 1,
    _ body: (StoreEnvironment) throws -> Result
  ) throws -> Result {
    // Nothing is synced, because the layout does not depend on it.
    try Subject.with(Configuration(backend.description.id, options, .crash), collections: ["records"]) { subject in
      if times == 0 {
        try subject.writeFixture(source.all)
      } else {
        try AgedStore(of: source, times: times, seed: seed).apply(in: subject.environment(), with: backend)
      }
      return try body(subject.environment())
    }
  }

  private static func file(_ name: String) -> (StoreEnvironment) throws -> Data {
    { try Data(contentsOf: URL(fileURLWithPath: $0.path(name))) }
  }

  private static func layout(
    _ backend: any StorageBackend.Type, _ options: [String] = [], times: Int
  ) throws -> StoreLayout {
    try live(backend, options, times: times) { environment in
      let store = try backend.init(opening: environment)
      defer { try? store.close() }
      return try #require(store as? any Inspecting).layout()
    }
  }

  @Test func `one seed gives one file, another another`() throws {
    for (backend, name) in [
      (SQLiteBackend.self as any StorageBackend.Type, "store.sqlite"), (SQLiteQueueBackend.self, "store.sqlite"),
      (LMDBBackend.self, "data.mdb"),
    ] {
      let files = try [1, 1, 2].map { try Self.live(backend, seed: $0, Self.file(name)) }
      #expect(files[0] == files[1], "\(backend.description.id)")
      #expect(files[0] != files[2], "\(backend.description.id)")
    }
  }

  /// SQLite places pages without regard to the journal. The files differ only in the journal mode (bytes 18 and 19 of
  /// the header) and in the change counter (bytes 24 to 27, and 92 to 95), which a write-ahead log does not raise with
  /// each change.
  @Test func `SQLite's journal does not decide how an aged store lies`() throws {
    let pageSize = 4_096
    var files = try ["delete", "wal"].map { mode in
      try Self.live(SQLiteBackend.self, ["journal=\(mode)"], Self.file("store.sqlite"))
    }
    for index in files.indices {
      for byte in [18, 19, 24, 25, 26, 27, 92, 93, 94, 95] { files[index][byte] = 0 }
    }
    #expect(files[0].count > 20 * pageSize && files[0].count % pageSize == 0)
    #expect(files[0] == files[1])
  }

  @Test(arguments: ["sqlite", "sqlite-queue", "object-graph", "lmdb"])
  func `age scatters and empties pages, and the engine tells`(id: String) throws {
    let backend = try #require(Backends.all.first { $0.description.id == id })
    let (young, aged) = (try Self.layout(backend, times: 0), try Self.layout(backend, times: 3))
    let pages = (try #require(young.pageCount), try #require(aged.pageCount))
    #expect(pages.0 >= 12 && pages.1 > pages.0)
    let jumps = (try #require(young.fragmentation), try #require(aged.fragmentation))
    #expect(jumps.0 < 0.35 && jumps.1 > jumps.0 + 0.1 && jumps.1 <= 1)
    let fill = (try #require(young.leafFill), try #require(aged.leafFill))
    #expect(fill.0 > fill.1 && fill.1 > 0.4 && fill.0 <= 1)
    #expect(try #require(aged.freePages) >= 0)
    #expect(aged.sortedFiles == nil && aged.sortedRuns == nil)
  }

  /// Source: the file's header, with the number of pages in bytes 28 to 31 and of free pages in bytes 36 to 39.
  @Test func `SQLite's pages and free pages are those of the file's header`() throws {
    try Self.live(SQLiteBackend.self) { environment in
      let store = try SQLiteBackend(opening: environment)
      defer { try? store.close() }
      try store.commit(Self.deletions)
      try store.settle()
      let layout = try store.layout()
      let header = try Data(contentsOf: URL(fileURLWithPath: environment.path("store.sqlite"))).prefix(100)
      func number(_ at: Int) -> Int { header[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
      #expect(layout.pageCount == number(28))
      #expect(layout.freePages == number(36) && number(36) > 0)
    }
  }

  @Test func `LMDB's free pages are kept and counted`() throws {
    try Self.live(LMDBBackend.self) { environment in
      let store = try LMDBBackend(opening: environment)
      defer { try? store.close() }
      let before = try store.layout()
      try store.commit(Self.deletions)
      let after = try store.layout()
      #expect(try #require(after.freePages) > #require(before.freePages))
      #expect(try #require(after.pageCount) >= #require(before.pageCount))
    }
  }

  @Test(
    .enabled(
      if: LevelDBBackend.description.missing() == nil, "libleveldb1d is missing, so the backend leveldb is not tested"))
  func `LevelDB tells of sorted files and where a key may be`() throws {
    let layout = try Self.layout(LevelDBBackend.self, times: 3)
    let (files, runs) = (try #require(layout.sortedFiles), try #require(layout.sortedRuns))
    #expect(files >= 1 && (1...files).contains(runs))
    #expect(layout.pageCount == nil && layout.fragmentation == nil)
  }

  @Test func `a file that is written whole has no layout`() throws {
    #expect(try Self.layout(ObjectGraphBackend.self, ["store=binary"], times: 1) == StoreLayout())
    #expect(StoreLayout().findings.isEmpty)
  }

  @Test func `leaves that follow their predecessor in the file are in order, each tree for itself`() {
    var walk = LeafWalk()
    #expect(walk.fragmentation == nil && walk.fill == nil)
    walk.add(page: 7, used: 50, of: 100)
    #expect(walk.fragmentation == nil && walk.fill == 0.5)
    for page in [8, 9, 3, 4] { walk.add(page: page, used: 100, of: 100) }
    #expect(walk.fragmentation == 0.25 && walk.fill == 0.9)
    walk.beginTree()
    walk.add(page: 99, used: 90, of: 100)
    #expect(walk.fragmentation == 0.25 && walk.leaves == 6)
  }
}
