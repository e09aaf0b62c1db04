import StorageContract

/// The backend `memory`: a dictionary in memory, as a baseline for the times of all other backends.
final class MemoryBackend: RecordBackend {
  static let description = BackendDescription(
    id: "memory", appearance: Appearance(name: "Swift dictionary", mark: 14),
    summary: "a dictionary in memory, the floor of every comparison",
    safety: "Nothing is written: everything is gone when the process ends.",
    kind: { _ in .memory },
    engineVersion: { "Swift's Dictionary" })

  private var tables: RecordTables

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.volatile) : .unavailable("it keeps nothing outside the process")
  }

  init(opening environment: StoreEnvironment) throws { tables = RecordTables(count: environment.collections.count) }

  var settings: String { "storage=memory" }

  func commit(_ changes: [Change]) throws { _ = try tables.apply(changes) }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let (keys, records) = try tables.snapshot(keys, in: collection)
    for key in keys {
      guard let record = records[key] else { continue }
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int { try tables.count(in: collection) }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? { try tables.record(key, in: collection) }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    try tables.records(keys, in: collection)
  }

  func close() throws { tables = RecordTables(count: 0) }
}
