import Foundation
import StorageBackends
import StorageContract
import Testing

@testable import StorageTrial

/// A write-ahead log that has been full once, so that timed saves overwrite it.
@Suite struct UsedLogTests {
  @Test(arguments: ["sqlite", "sqlite-queue", "object-graph"], ["used", "fresh"])
  func `saves after it begin at its start, and nothing else has changed`(id: String, log: String) throws {
    // In memory, where 1,500 synced saves take no time.
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    let directory = memory ? TemporaryDirectory(in: "/dev/shm") : TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = "\(directory.path)/store.sqlite-wal"
    func logs() -> [StoreFiles.LogHeader] { StoreFiles.logs([path]) }
    let backend = try #require(Backends.all.first { $0.description.id == id })
    let environment = StoreEnvironment(
      directory: directory.path,
      options: try Options(parsing: ["log=\(log)"], specs: backend.description.options, owner: id),
      durability: .durable, collections: ["records"])
    let store = try backend.init(opening: environment)
    func save(_ count: Int) throws {
      for number in 0..<count {
        let key = Int64(number % 7)
        try store.commit([
          .put(Record(id: key, name: "n", group: "g", score: Double(number), modified: 1, payload: [1, 2, 3]))
        ])
      }
    }
    try save(7)
    let before = try store.records(.all, in: .records)
    func bytes() -> Int { (FileManager.default.contents(atPath: path) ?? Data()).count }
    let new = bytes()
    try #require(backend as? any WriteAheadLogged.Type).useLog(of: environment)
    #expect(try store.records(.all, in: .records) == before)
    let (used, restarts) = (bytes(), logs())
    try save(100)
    if log == "used" {
      // 1,000 pages and their headers.
      #expect((4_096_000..<4_300_000).contains(used) && bytes() == used)
    } else {
      #expect(used == new && bytes() > used)
    }
    #expect(StoreFiles.checkpoints(from: restarts, to: logs()) == 0)
    try save(1_500)
    let times = StoreFiles.checkpoints(from: restarts, to: logs()) ?? -1
    #expect((1...4).contains(times), "\(times)")
    #expect(store.settings.contains("log=fresh") == (log == "fresh"))
    try store.close()
  }

  @Test func `a store without a log is left alone`() throws {
    let directory = TemporaryDirectory()
    let environment = StoreEnvironment(
      directory: directory.path, options: Options(verbatim: ""), durability: .shipped, collections: ["records"])
    let backend = try #require(Backends.all.first { $0.description.id == "sqlite" })
    let logged = try #require(backend as? any WriteAheadLogged.Type)
    try logged.useLog(of: environment)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    let store = try backend.init(opening: environment)
    try logged.useLog(of: environment)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store.sqlite"])
    try store.close()
  }

  @Test func `the header of a log has the number of its restarts`() {
    func header(_ path: String, _ number: UInt32, _ salt: UInt32) -> StoreFiles.LogHeader {
      StoreFiles.LogHeader(path: path, number: number, salt: salt)
    }
    #expect(StoreFiles.checkpoints(from: [], to: []) == nil)
    #expect(StoreFiles.checkpoints(from: [], to: [header("a", 3, 77)]) == 3)
    #expect(StoreFiles.checkpoints(from: [header("a", 2, 77)], to: [header("a", 1, 79)]) == 2)
    #expect(StoreFiles.checkpoints(from: [header("a", 2, .max)], to: [header("a", 1, 0)]) == 1)
    // The log was removed and created again.
    #expect(StoreFiles.checkpoints(from: [header("a", 9, 5_000_000)], to: [header("a", 1, 3)]) == 1)
  }
}
