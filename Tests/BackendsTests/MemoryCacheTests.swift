import Foundation
import StorageContract
import Testing

@testable import StorageBackends

@Suite struct MemoryCacheTests {
  @Test func withoutALimitNothingIsEvicted() throws {
    let store = MemoryCacheBackend(collections: 1, limit: 0)
    try store.commit((0..<20_000).map { Change.put(Tricky.record($0, "\($0)")) })
    #expect(try (0..<20_000).allSatisfy { try store.record($0, in: .records)?.name == "\($0)" })
    #expect(try store.count(in: .records) == 20_000)
  }

  /// With a limit of 10, 10 of 100 records are left: acknowledged puts are lost without an error in the same process.
  /// On Linux, with equal costs, the newest are lost, because a full cache accepts nothing new.
  @Test func aLimitEvictsTheNewest() throws {
    let store = MemoryCacheBackend(collections: 1, limit: 10)
    for key in Int64(0)..<100 { try store.commit([.put(Tricky.record(key, "\(key)"))]) }
    let left = try store.records(.all, in: .records)
    #expect(left == (0..<10).map { Tricky.record($0, "\($0)") })
    #expect(try store.count(in: .records) == 10)
    #expect(try store.record(99, in: .records) == nil)
    // A deletion makes room for one more.
    try store.commit([.delete(0), .put(Tricky.record(99, "again"))])
    #expect(try store.record(99, in: .records)?.name == "again")
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
