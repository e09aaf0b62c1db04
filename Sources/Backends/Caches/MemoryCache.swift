import Foundation
import StorageContract

// URLCache has no backend: linking FoundationNetworking raises the processor time of a launch from 9 ms to 17 ms
// (median of 20).
/// The backend `nscache`: one NSCache for each collection of records. By default, the caches have no size limit,
/// because NSCache drops objects at a limit without an error.
final class MemoryCacheBackend: RecordBackend {
  private static let count = OptionSpec(
    "count", .choiceOrNumber(["no"]), most: 1_000_000_000, help: "countLimit of each collection's cache; no sets none")
  private static let cost = OptionSpec(
    "cost", .size(or: "no"), most: 64 << 40,
    help: "totalCostLimit of each collection's cache, in logical bytes; with it, a put takes longer in a fuller cache")

  static let description = BackendDescription(
    id: "nscache", appearance: Appearance(name: "NSCache", mark: 12),
    summary: "Foundation's NSCache, one object for each record",
    safety: """
      Nothing is written: everything is gone when the process ends; with count= or cost=, NSCache drops records \
      without an error, on Linux those of the least cost, and of equal ones the newest.
      """,
    options: [count, cost],
    kind: { _ in .memory },
    engineVersion: { FoundationVersion.text },
    isDefault: false,
    lackOfRoom: { options, records, bytes in
      let (count, cost) = (Int(options[count]) ?? .max, Quantity.bytes(options[cost]) ?? .max)
      if records > count {
        return "NSCache keeps \(Quantity.grouped(count)) records and drops the others without an error; give "
          + "count=\(records) or more, or the workload cache-hit, which has its own cache"
      }
      if bytes > cost {
        return "NSCache keeps \(Quantity.grouped(cost)) logical bytes and drops other records without an error; the "
          + "records have at least \(Quantity.grouped(bytes)), so give a larger cost="
      }
      return nil
    })

  private final class Box {
    let record: Record

    init(_ record: Record) { self.record = record }
  }

  private let caches: [NSCache<NSNumber, Box>]
  private var keys: [KeyList]
  private let hasCosts: Bool

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.volatile) : .unavailable("it keeps nothing outside the process")
  }

  init(opening environment: StoreEnvironment) throws {
    // A limit of 0 means no limit.
    let limit = Int(environment.options[Self.count]) ?? 0
    let costLimit = Quantity.bytes(environment.options[Self.cost]) ?? 0
    hasCosts = costLimit > 0
    caches = environment.collections.map { _ in
      let cache = NSCache<NSNumber, Box>()
      cache.countLimit = limit
      cache.totalCostLimit = costLimit
      return cache
    }
    keys = Array(repeating: KeyList(), count: caches.count)
  }

  var settings: String {
    "storage=memory count_limit=\(caches.first?.countLimit ?? 0) total_cost_limit=\(caches.first?.totalCostLimit ?? 0)"
  }

  func commit(_ changes: [Change]) throws {
    for change in changes { _ = try change.collection.checked(caches.count) }
    for change in changes {
      switch change.action {
      case .put(let record, let collection):
        let key = NSNumber(value: record.id)
        keys[collection.index].insert(record.id)
        caches[collection.index].setObject(Box(record), forKey: key, cost: hasCosts ? record.logicalSize : 0)
      case .delete(let key, let collection):
        keys[collection.index].remove(key)
        caches[collection.index].removeObject(forKey: NSNumber(value: key))
      }
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try caches[collection.checked(caches.count)].object(forKey: NSNumber(value: key))?.record
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let index = try collection.checked(caches.count)
    for key in self.keys[index].sorted(in: keys) {
      guard let box = caches[index].object(forKey: NSNumber(value: key)) else { continue }
      guard try box.record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    let index = try collection.checked(caches.count)
    guard caches[index].countLimit > 0 || hasCosts else { return keys[index].count }
    return keys[index].sorted(in: .all).count { caches[index].object(forKey: NSNumber(value: $0)) != nil }
  }

  func close() throws { caches.forEach { $0.removeAllObjects() } }
}

/// The keys of one collection of records, sorted only when a caller needs them in order.
private struct KeyList {
  private var known: Set<Int64> = []
  private var order: [Int64]?

  var count: Int { known.count }

  mutating func insert(_ key: Int64) { if known.insert(key).inserted { order = nil } }

  mutating func remove(_ key: Int64) { if known.remove(key) != nil { order = nil } }

  mutating func sorted(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    let keys = order ?? known.sorted()
    order = keys
    let start = keys.partitioningIndex { $0 >= range.lowerBound }
    return keys[start..<keys.partitioningIndex { $0 > range.upperBound }]
  }
}
