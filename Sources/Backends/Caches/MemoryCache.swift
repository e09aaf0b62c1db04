import Foundation
import StorageContract

/// The backend `nscache`: Foundation's NSCache, with one cache per collection and one object per record.
///
/// The caches have no limits, because NSCache evicts objects silently when a limit is reached. NSCache cannot list its
/// keys, so a separate set holds them.
///
/// URLCache, Foundation's disk cache, is not a backend. It needs FoundationNetworking, which raises the number of
/// linked libraries from 20 to 51 and the processor time of a launch from 9 ms to 17 ms (median of 20).
final class MemoryCacheBackend: RecordBackend {
  static let description = BackendDescription(
    id: "nscache", appearance: Appearance(name: "NSCache", mark: 12),
    summary: "Foundation's NSCache without limits, one object for each record",
    safety: """
      Nothing is written: everything is gone when the process ends; this suite sets no limit; with one, NSCache drops \
      records without an error, on Linux the newest ones.
      """,
    kind: { _ in .memory },
    engineVersion: { FoundationVersion.text },
    isDefault: false)

  private final class Box {
    let record: Record

    init(_ record: Record) { self.record = record }
  }

  private let caches: [NSCache<NSNumber, Box>]
  private var keys: [KeyList]

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.volatile) : .unavailable("it keeps nothing outside the process")
  }

  init(collections: Int, limit: Int) {
    caches = (0..<collections).map { _ in
      let cache = NSCache<NSNumber, Box>()
      cache.countLimit = limit
      return cache
    }
    keys = Array(repeating: KeyList(), count: collections)
  }

  convenience init(opening environment: StoreEnvironment) throws {
    self.init(collections: environment.collections.count, limit: 0)
  }

  var settings: String { "storage=memory count_limit=\(caches.first?.countLimit ?? 0) total_cost_limit=0" }

  func commit(_ changes: [Change]) throws {
    for change in changes { _ = try change.collection.checked(caches.count) }
    for change in changes {
      switch change.action {
      case .put(let record, let collection):
        let key = NSNumber(value: record.id)
        keys[collection.index].insert(record.id)
        caches[collection.index].setObject(Box(record), forKey: key)
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
    guard caches[index].countLimit > 0 else { return keys[index].count }
    return keys[index].sorted(in: .all).count { caches[index].object(forKey: NSNumber(value: $0)) != nil }
  }

  func close() throws { caches.forEach { $0.removeAllObjects() } }
}

/// The keys of one collection. They are sorted only when a caller needs them in order.
private struct KeyList {
  private var known: Set<Int64> = []
  private var order: [Int64]?

  var count: Int { known.count }

  mutating func insert(_ key: Int64) { if known.insert(key).inserted { order = nil } }

  mutating func remove(_ key: Int64) { if known.remove(key) != nil { order = nil } }

  mutating func sorted(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    let keys = order ?? known.sorted()
    order = keys
    return keys[Self.place(keys) { $0 < range.lowerBound }..<Self.place(keys) { $0 <= range.upperBound }]
  }

  private static func place(_ keys: [Int64], _ isBefore: (Int64) -> Bool) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
