import Foundation
import StorageContract

/// A workload that reads popular records through an NSCache in front of the store.
struct CacheHit: Workload {
  static let cache = OptionSpec(
    "cache", ["10%", "1%", "50%"], help: "size of the cache as a share of all records; half is more than is read often")
  static let limit = OptionSpec(
    "limit", ["count", "cost"], help: "limit the number of cached records, or their logical bytes")
  /// The report's names for two hit rates in percent: of this workload's NSCache, and of a simulated LRU cache.
  static let (hits, modelHits) = ("hit_percent", "lru_hit_percent")

  static let description = WorkloadDescription(
    id: "cache-hit", question: "What does a cache of records in front of the store save?",
    operation: "read one record from an NSCache, or from the store and put it into the cache, keys as in read-hot",
    options: [cache, limit], access: .reads, counted: .reads,
    words: { _ in WorkloadWords("a read through a cache", .read, limit: .frame) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { CacheHitSession(context, options) }
}

private final class CacheHitSession: SessionStore, StoreSession {
  private final class CachedRecord {
    let record: Record

    init(_ record: Record) { self.record = record }
  }

  let blockSize: Int
  private let keyOf: KeyStream
  private let cache = NSCache<NSNumber, CachedRecord>()
  private let limitsCost: Bool
  private var model: LeastRecentlyUsed
  private var block = Block<Int64>()
  private var found: [Record?] = []
  private var (reads, hits, modelHits) = (0, 0, 0)

  init(_ context: SessionContext, _ options: Options) {
    limitsCost = options[CacheHit.limit] == "cost"
    let source = context.source
    let all = limitsCost ? (0..<source.count).reduce(0) { $0 + source.record(at: $1).logicalSize } : source.count
    let limit = max(1, Int(Double(all) * options.share(CacheHit.cache)))
    keyOf = context.hotKeys
    model = LeastRecentlyUsed(limit: limit)
    blockSize = max(1, min(1_024, (32 << 20) / max(1, context.recordBytes)))
    super.init(context)
    if limitsCost { cache.totalCostLimit = limit } else { cache.countLimit = limit }
  }

  /// Opens the store, and fills the NSCache and the simulated LRU cache as if up to 100,000 random records had been
  /// read.
  func setUp() throws {
    store = try context.open()
    for read in 1...max(1, min(100_000, context.source.count)) {
      let key = keyOf(-read)
      guard let index = context.source.index(of: key) else { continue }
      _ = model.use(key, cost: cost(context.source.record(at: index)))
      let number = NSNumber(value: key)
      if cache.object(forKey: number) == nil { put(context.source.record(at: index), number) }
    }
  }

  private func cost(_ record: Record) -> Int { limitsCost ? record.logicalSize : 1 }

  private func put(_ record: Record, _ key: NSNumber) {
    cache.setObject(CachedRecord(record), forKey: key, cost: limitsCost ? record.logicalSize : 0)
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, keyOf)
    found = Array(repeating: nil, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    let (key, index) = (block[operation], block.index(of: operation))
    let number = NSNumber(value: key)
    if let cached = cache.object(forKey: number) {
      hits += 1
      found[index] = cached.record
    } else if let record = try store.unsafelyUnwrapped.record(key, in: .records) {
      put(record, number)
      found[index] = record
    }
  }

  func verify(_ operations: Range<Int>) throws {
    let source = context.records
    for operation in operations {
      let (key, record) = (block[operation], found[block.index(of: operation)])
      guard let index = source.index(of: key) else { continue }
      reads += 1
      if context.isCounting, model.use(key, cost: cost(source.record(at: index))) { modelHits += 1 }
      if !context.isVerifiable || record.map({ source.isRecord($0, at: index) }) == true { continue }
      try Expectation.compare(record, with: source.record(at: index), key: key)
    }
  }

  func finish() throws { try close() }

  /// The percentage of reads that hit the NSCache, and the percentage that would hit a simulated LRU cache. Empty if
  /// time is measured.
  var findings: [Finding] {
    guard context.isCounting, context.isVerifiable, reads > 0 else { return [] }
    return [(CacheHit.hits, hits), (CacheHit.modelHits, modelHits)].map { name, count in
      Finding(name, (Double(count) / Double(reads) * 1_000).rounded() / 10, .first)
    }
  }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(bitPattern: keyOf(operation))) }
}

/// A simulated cache that drops the least recently used keys.
struct LeastRecentlyUsed {
  let limit: Int
  /// The cached keys. `cost` counts towards ``limit``, and `time` is the index in ``uses`` of the key's last use.
  private var entries: [Int64: (cost: Int, time: Int)] = [:]
  private var uses: [Int64] = []
  private var oldest = 0
  private var total = 0

  init(limit: Int) { self.limit = limit }

  /// Adds a key or marks it as just used, and removes the least recently used keys if the cache is too large. Returns
  /// whether `key` was cached before.
  mutating func use(_ key: Int64, cost: Int) -> Bool {
    let old = entries.updateValue((cost, uses.count), forKey: key)
    uses.append(key)
    total += cost - (old?.cost ?? 0)
    while total > limit {
      let candidate = uses[oldest]
      if let entry = entries[candidate], entry.time == oldest {
        entries[candidate] = nil
        total -= entry.cost
      }
      oldest += 1
    }
    return old != nil
  }
}
