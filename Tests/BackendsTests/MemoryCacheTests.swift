import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// What NSCache forgets, and when.
@Suite struct MemoryCacheTests {
  @Test func withoutALimitNothingIsEvicted() throws {
    let store = MemoryCacheBackend(collections: 1, limit: 0)
    try store.commit((0..<20_000).map { Change.put(Tricky.record($0, "\($0)")) })
    #expect(try (0..<20_000).allSatisfy { try store.record($0, in: .records)?.name == "\($0)" })
    #expect(try store.count(in: .records) == 20_000)
  }

  /// With a limit of 10, 10 of 100 records are left: what was put and acknowledged is gone without an error, in the same
  /// process. Whichever are left are what was put.
  @Test func aLimitEvicts() throws {
    let store = MemoryCacheBackend(collections: 1, limit: 10)
    for key in Int64(0)..<100 { try store.commit([.put(Tricky.record(key, "\(key)"))]) }
    let left = try (0..<100).compactMap { try store.record($0, in: .records) }
    #expect(left.count == 10)
    #expect(left.allSatisfy { $0 == Tricky.record($0.id, "\($0.id)") })
    #expect(try store.count(in: .records) == 10)
    #expect(try store.records(.all, in: .records) == left)
    // One that was evicted can be put again.
    let gone = try #require(try (0..<100).first { try store.record($0, in: .records) == nil })
    try store.commit([.put(Tricky.record(gone, "again"))])
    #expect(try store.record(gone, in: .records)?.name == "again")
    #expect(try store.count(in: .records) == 10)
  }

  @Test func nothingOutlivesTheStore() throws {
    let environment = StoreEnvironment(directory: try Subject.temporaryDirectory())
    defer { try? FileManager.default.removeItem(atPath: environment.directory) }
    let store = try MemoryCacheBackend(opening: environment)
    try store.commit([.put(Tricky.record(1, "one"))])
    try store.close()
    #expect(try MemoryCacheBackend(opening: environment).count(in: .records) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: environment.directory).isEmpty)
  }
}
