import Backends
import Bench
import CBaseline
import Contract
import Foundation
import Statistics
import Workloads

// Prints what the adapters add to the same engine calls made in C, and the loop to nothing at all. Both sides take
// turns in one process, in blocks of equal work; a ratio is the median over blocks. Exit 1 if a bound is missed.

/// One comparison: Swift against C over the same block of work.
struct Comparison {
  var name: String
  var bound: Double
  /// How often both sides run it twice.
  var blocks: Int
  /// Operations in a block.
  var operations: Int
  var swift: () throws -> Void
  var c: () throws -> Void
  /// Untimed, before the block of the side in question.
  var prepare: ((_ isSwift: Bool) throws -> Void)?

  func run() throws -> (ratio: PairedRatio, nanoseconds: Double, holds: Bool) {
    var pairs: [(base: Double, head: Double)] = []
    for block in -2..<blocks {
      var times = (swift: 0.0, c: 0.0)
      // There and back: the side that has just run finds its store in the caches, which would make every other pair
      // a tenth too large and the rest too small. This way each side comes once after itself and once after the other.
      let first = block.isMultiple(of: 2)
      for isSwift in [first, !first, !first, first] {
        try prepare?(isSwift)
        let start = DispatchTime.now().uptimeNanoseconds
        try isSwift ? swift() : c()
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start)
        if isSwift { times.swift += elapsed } else { times.c += elapsed }
      }
      if block >= 0 { pairs.append((base: times.c, head: times.swift)) }
    }
    guard let ratio = PairedRatio(pairs: pairs) else { throw StoreError.failed("too few blocks") }
    let inC = (Quantile.median(of: pairs.map(\.base).sorted()) ?? .nan) / Double(2 * operations)
    return (ratio, inC, ratio.ratio <= bound)
  }
}

func need(_ code: Int32) throws {
  if code != 0 { throw StoreError.failed("the C side failed") }
}

/// The comparisons for one engine, at level crash: no sync hides what the adapter costs.
func comparisons(_ id: String, directory: String) throws -> [Comparison] {
  guard let backend = Backends.all.first(where: { $0.description.id == id }) else { return [] }
  for side in ["swift", "c"] {
    try FileManager.default.createDirectory(atPath: "\(directory)/\(side)", withIntermediateDirectories: true)
  }
  let store = try backend.init(opening: StoreEnvironment(directory: "\(directory)/swift", durability: .crash))
  let open = { (directory: String) in id == "lmdb" ? cb_lmdb_open(directory) : cb_sqlite_open(directory) }
  guard let c = open("\(directory)/c") else { throw StoreError.failed("cannot open the C side's store") }
  let source = GeneratedRecords(count: 10_000, bytes: 100, seed: 1)
  let all = source.all
  let allInC = CRecords(all)
  try store.commit(all.map { .put($0) })
  try need(cb_save_all(c, allInC.records, allInC.records.count))

  var random = RandomStream(seed: 1, .key, 0)
  let keys = (0..<5_000).map { _ in source.key(at: random.below(source.count)) }
  var expected: UInt64 = 0
  for key in keys { source.record(at: Int(key) - 1).withView { expected &+= ByteSum.of($0) } }
  // Texts made anew, in the order of use, as C's copies are: neither side then fetches them from all over the memory.
  let saved = (0..<2_000).map { _ -> Record in
    var record = source.record(at: random.below(source.count))
    record.payload = GeneratedRecords.payload(100, .random, &random)
    return record
  }
  let changes = saved.map { [Change.put($0)] }
  let savedInC = CRecords(saved)
  let imported = all.map { Change.put($0) }
  let fresh = FreshStores(backend, openInC: open, directory: "\(directory)/fresh")
  // Half a microsecond each in LMDB: more of them, for the same time.
  let reads = id == "lmdb" ? 201 : 51
  var sink = 0

  return [
    Comparison(
      name: "\(id) read-bytes", bound: 1.05, blocks: reads, operations: keys.count,
      swift: {
        var sum: UInt64 = 0
        for key in keys { _ = try store.read(key, in: .records) { sum &+= ByteSum.of($0) } }
        if sum != expected { throw StoreError.failed("Swift read other bytes") }
      },
      c: {
        if cb_read_bytes(c, keys, keys.count) != expected { throw StoreError.failed("C read other bytes") }
      }),
    Comparison(
      name: "\(id) read-one", bound: 1.15, blocks: reads, operations: keys.count,
      swift: {
        for key in keys { sink &+= try store.record(key, in: .records)?.payload.count ?? 0 }
      },
      c: {
        var record = cb_record()
        for key in keys {
          try need(cb_get(c, key, &record))
          sink &+= record.record.payload.count
          cb_done(c)
        }
      }),
    Comparison(
      name: "\(id) save-one", bound: 1.05, blocks: 41, operations: changes.count,
      swift: { for change in changes { try store.commit(change) } },
      c: { try need(cb_save_each(c, savedInC.records, savedInC.records.count)) }),
    Comparison(
      name: "\(id) import", bound: 1.10, blocks: 75, operations: imported.count,
      swift: { try fresh.store?.commit(imported) },
      c: { try need(cb_save_all(fresh.c, allInC.records, allInC.records.count)) },
      prepare: { try fresh.prepare(isSwift: $0) }),
  ]
}

/// What the measuring loop adds to an operation that does nothing. Nothing to pair it with, so it is measured at
/// moments far apart, and the least counts: a shared machine is slower by a third for seconds at a time.
final class Harness {
  private(set) var clock = Double.infinity
  private(set) var batched = Double.infinity
  private var timedSingly = Double.infinity
  private let backend: any StorageBackend.Type

  init() throws {
    guard let null = Backends.all.first(where: { $0.description.id == "null" }) else {
      throw StoreError.failed("there is no null backend")
    }
    backend = null
    try measure()
  }

  func measure() throws {
    let cost = try HarnessCost.measure(backend, ReadBytes(options: Options()))
    clock = min(clock, cost.clock, cb_clock_cost())
    timedSingly = min(timedSingly, cost.single)
    batched = min(batched, cost.batched)
  }

  /// Beside the reading of the clock.
  var single: Double { timedSingly - clock }
  var holds: Bool { single <= 15 && batched <= 10 }
}

/// What is compared: rows whose name holds one of the arguments, or all.
let filters = CommandLine.arguments.dropFirst()
func isWanted(_ name: String) -> Bool { filters.isEmpty || filters.contains { name.contains($0) } }

let directory = "\(FileManager.default.currentDirectoryPath)/.build/fidelity-\(getpid())"
var holds = true
do {
  defer { try? FileManager.default.removeItem(atPath: directory) }
  print("Ratio of the adapter to C, median of pairs and its 96 % interval; level crash, 10,000 records of 100 bytes")
  let harness = try isWanted("harness") ? Harness() : nil
  for id in ["lmdb", "sqlite"] {
    for comparison in try comparisons(id, directory: "\(directory)/\(id)") where isWanted(comparison.name) {
      let (ratio, nanoseconds, isKept) = try comparison.run()
      holds = holds && isKept
      print(
        comparison.name.padding(toLength: 20, withPad: " ", startingAt: 0)
          + String(
            format: "%.3f  (%.3f to %.3f)  at most %.2f  %@  C: %.0f ns", ratio.ratio, ratio.interval?.low ?? .nan,
            ratio.interval?.high ?? .nan, comparison.bound, isKept ? "ok    " : "MISSED", nanoseconds))
    }
    try harness?.measure()
  }
  if let harness {
    holds = holds && harness.holds
    print(
      String(
        format: "harness on null, read-bytes: clock %.1f ns; singly clock + %.1f ns (at most 15); "
          + "batched %.1f ns (at most 10)  %@",
        harness.clock, harness.single, harness.batched, harness.holds ? "ok" : "MISSED"))
  }
} catch {
  FileHandle.standardError.write(Data("fidelity: \(error)\n".utf8))
  exit(74)
}
exit(holds ? 0 : 1)
