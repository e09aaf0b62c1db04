import CStorageInstrument
import Foundation
import GRDB
import StorageBackends
import StorageContract
import StorageStatistics
import StorageWorkloads

/// A measurement of the parts of reading one record through GRDB: each part by hand, and the ways to read.
///
/// The level and the journal mode are GRDB's defaults (a pool uses WAL), with 10,000 records of 100 bytes.
struct QueueParts {
  static let argument = "--parts"

  private let directory: String
  private let records = GeneratedRecords(count: 10_000, bytes: 100, seed: 1).all
  private let keys: [Int64]

  init(directory: String) {
    self.directory = directory
    var random = RandomStream(seed: 1, .key, 0)
    keys = (0..<1_000).map { _ in Int64(random.below(10_000)) + 1 }
  }

  func print() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    Swift.print("by hand, a queue in journal mode DELETE")
    let queue = try DatabaseQueue(path: "\(directory)/queue.sqlite")
    try fill(queue)
    try measure("into the queue and out (unsafeRead of nothing)") { _ in queue.unsafeRead { _ in } }
    try measure("and read-only (query_only on and off)") { _ in try queue.unsafeRead { try $0.readOnly {} } }
    try measure("and in a transaction (read of nothing)") { _ in try queue.read { _ in } }
    try measure("unsafeRead of a record") { key in _ = try queue.unsafeRead { try HandMadeQueue.record(key, $0) } }
    try measure("read of a record") { key in _ = try queue.read { try HandMadeQueue.record(key, $0) } }
    try measure("the same without cached statements") { key in
      _ = try queue.read { try HandMadeQueue.record(key, $0, isCached: false) }
    }
    Swift.print("by hand, a pool")
    let pool = try DatabasePool(path: "\(directory)/pool.sqlite")
    try fill(pool)
    try measure("unsafeRead of nothing") { _ in try pool.unsafeRead { _ in } }
    try measure("read of nothing") { _ in try pool.read { _ in } }
    try measure("unsafeRead of a record") { key in _ = try pool.unsafeRead { try HandMadeQueue.record(key, $0) } }
    try measure("read of a record") { key in _ = try pool.read { try HandMadeQueue.record(key, $0) } }
    let snapshot = try pool.makeSnapshot()
    try measure("read of a record in a DatabaseSnapshot") { key in
      _ = try snapshot.read { try HandMadeQueue.record(key, $0) }
    }
    try measure("a DatabaseSnapshot made, read once and let go", keys.count / 10) { key in
      _ = try pool.makeSnapshot().read { try HandMadeQueue.record(key, $0) }
    }
    Swift.print("the backends")
    let backends = [
      "sqlite", "sqlite:journal=wal", "sqlite-queue", "sqlite-queue:read=unsafe", "sqlite-queue:journal=wal",
      "sqlite-queue:journal=wal:read=unsafe", "sqlite-queue:pool=yes", "sqlite-queue:pool=yes:read=unsafe",
      "sqlite-queue:decode=codable",
    ]
    for name in backends {
      let parts = name.split(separator: ":").map(String.init)
      let backend = try findBackend(parts[0])
      let options = try Options(
        parsing: Array(parts.dropFirst()), specs: backend.description.options, owner: "backend \(parts[0])")
      let storeDirectory = "\(directory)/\(name)"
      try FileManager.default.createDirectory(atPath: storeDirectory, withIntermediateDirectories: true)
      let store = try backend.init(opening: StoreEnvironment(directory: storeDirectory, options: options))
      try store.commit(records.map { .put($0) })
      try measure(name) { key in _ = try store.record(key, in: .records) }
      try store.close()
    }
  }

  private func fill(_ database: any DatabaseWriter) throws {
    try database.write { db in try HandMadeQueue.create(db) }
    try database.write { db in try HandMadeQueue.save(records, db) }
  }

  /// Prints the time and the allocations of an operation: the median of blocks, and the count in one block.
  private func measure(_ name: String, _ count: Int? = nil, _ operation: (Int64) throws -> Void) throws {
    let keys = keys.prefix(count ?? keys.count)
    var times: [Double] = []
    for block in -2..<15 {
      let start = DispatchTime.now().uptimeNanoseconds
      for key in keys { try operation(key) }
      if block >= 0 { times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / Double(keys.count)) }
    }
    var counts = ci_counts()
    ci_begin(directory)
    for key in keys { try operation(key) }
    ci_read(&counts)
    ci_end()
    let time = String(format: "%7.1f µs", (Quantile.median(of: times.sorted()) ?? .nan) / 1_000)
    let allocations = String(format: "%6.1f allocations", Double(counts.allocations) / Double(keys.count))
    Swift.print("  \(time) \(allocations)  \(name)")
  }
}
