import StorageBackends
import StorageBench
import StorageContract
import StorageWorkloads

/// One backend under two names, as if they were two: whatever a run then says of the one against the other is noise.
/// `scripts/self-study` counts how often it says something.
///
/// Both names pass every call on, so that both pay for that alike.
final class Twin<Inner: StorageBackend, Name: TwinName>: StorageBackend {
  private let inner: Inner

  static var description: BackendDescription {
    var description = Inner.description
    description.id += Name.suffix
    return description
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { Inner.promise(durability, options) }

  init(opening environment: StoreEnvironment) throws { inner = try Inner(opening: environment) }

  var settings: String { inner.settings }

  func commit(_ changes: [Change]) throws { try inner.commit(changes) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection, body)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try inner.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try inner.count(in: collection) }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? { try inner.record(key, in: collection) }

  func settle() throws { try inner.settle() }

  func close() throws { try inner.close() }

  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    try Inner.writeFixture(records, in: environment)
  }
}

/// What a twin is called beyond the name of its backend.
protocol TwinName {
  static var suffix: String { get }
}

enum First: TwinName { static let suffix = "-a" }
enum Second: TwinName { static let suffix = "-b" }

func twins<Inner: StorageBackend>(_ type: Inner.Type) -> [any StorageBackend.Type] {
  [Twin<Inner, First>.self, Twin<Inner, Second>.self]
}

await BenchmarkSuite.main(backends: Backends.all.flatMap { twins($0) }, workloads: Workloads.all)
