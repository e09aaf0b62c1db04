import Foundation
import StorageBackends
import StorageContract
import StorageWorkloads

/// A sitting of `sqlite-queue` against GRDB by hand. Both sides have new databases in WAL mode without syncs, where
/// SQLite's share of the time is smallest and the adapter's largest.
struct QueueSitting {
  private let source = GeneratedRecords(count: 10_000, bytes: 100, seed: 1)
  private let keys: [Int64]
  private let stores: [(options: [String], adapter: any StorageBackend, hand: HandMadeQueue)]

  /// Fills the stores.
  ///
  /// - Parameters:
  ///   - directory: The directory of the stores.
  ///   - number: The number of the sitting. The side that runs first alternates with it.
  init(directory: String, number: Int) throws {
    var random = RandomStream(seed: 1, .key, 0)
    keys = (0..<2_000).map { [source] _ in source.key(at: random.below(source.count)) }
    let backend = try findBackend("sqlite-queue")
    try? FileManager.default.removeItem(atPath: directory)
    let all = source.all
    stores = try [[], ["pool=yes"], ["read=unsafe"], ["pool=yes", "read=unsafe"]].map { options in
      func storeDirectory(_ side: String) throws -> String {
        let path = "\(directory)/\(options.joined())\(side)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
      }
      var made: (adapter: (any StorageBackend)?, hand: HandMadeQueue?)
      for isAdapter in number.isMultiple(of: 2) ? [true, false] : [false, true] {
        if isAdapter {
          let parsed = try Options(parsing: options, specs: backend.description.options, owner: "backend sqlite-queue")
          made.adapter = try backend.init(
            opening: StoreEnvironment(directory: storeDirectory("adapter"), options: parsed, durability: .crash))
          try made.adapter?.commit(all.map { .put($0) })
        } else {
          made.hand = try HandMadeQueue(
            path: "\(storeDirectory("hand"))/store.sqlite", isPool: options.contains("pool=yes"),
            isolatesReads: !options.contains("read=unsafe"))
          try made.hand?.save(all)
        }
      }
      guard let adapter = made.adapter, let hand = made.hand else { throw StoreError.failed("a store is missing") }
      return (options, adapter, hand)
    }
  }

  func comparisons() -> [HandComparison] {
    var sink = 0
    return stores.map { [keys] options, adapter, hand in
      HandComparison(
        name: (["sqlite-queue"] + options).joined(separator: ":") + " read-one", hand: "GRDB", bound: 1.05, blocks: 4,
        operations: keys.count,
        swift: { for key in keys { sink &+= try adapter.record(key, in: .records)?.payload.count ?? 0 } },
        c: { for key in keys { sink &+= try hand.read(key)?.payload.count ?? 0 } })
    }
  }
}
