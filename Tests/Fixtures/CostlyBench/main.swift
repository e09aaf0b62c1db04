import Foundation
import StorageBackends
import StorageBench
import StorageContract
import StorageWorkloads

/// Every backend under its own name, each save costing a little more than it should: `COSTLY=sync` adds a sync,
/// `COSTLY=write` a write of 4 KiB, and anything else nothing. What a gate has to see.
final class Costly<Inner: StorageBackend>: StorageBackend {
  private let inner: Inner
  private let file: Int32

  static var description: BackendDescription { Inner.description }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { Inner.promise(durability, options) }

  init(opening environment: StoreEnvironment) throws {
    inner = try Inner(opening: environment)
    file = open(environment.path("extra"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  }

  var settings: String { inner.settings }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    switch ProcessInfo.processInfo.environment["COSTLY"] {
    case "sync": fsync(file)
    case "write": pwrite(file, [UInt8](repeating: 0, count: 4_096), 4_096, 0)
    default: break
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection, body)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try inner.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try inner.count(in: collection) }

  func settle() throws { try inner.settle() }

  func close() throws {
    Foundation.close(file)
    try inner.close()
  }

  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    try Inner.writeFixture(records, in: environment)
  }
}

func costly<Inner: StorageBackend>(_ type: Inner.Type) -> any StorageBackend.Type { Costly<Inner>.self }

await BenchmarkSuite.main(backends: Backends.all.map { costly($0) }, workloads: Workloads.all)
