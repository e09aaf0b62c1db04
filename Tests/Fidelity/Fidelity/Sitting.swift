import CBaseline
import Foundation
import StorageBackends
import StorageContract
import StorageWorkloads

/// The backend with an id.
func findBackend(_ id: String) throws -> any StorageBackend.Type {
  guard let backend = Backends.all.first(where: { $0.description.id == id }) else {
    throw StoreError.failed("there is no backend '\(id)'")
  }
  return backend
}

/// An open store of the C side, closed when it is let go of.
final class CStore {
  let pointer: OpaquePointer

  init(_ opened: OpaquePointer?) throws {
    guard let opened else { throw StoreError.failed("cannot open the C side's store") }
    pointer = opened
  }

  deinit { cb_close(pointer) }
}

func need(_ code: Int32) throws {
  if code != 0 { throw StoreError.failed("the C side failed") }
}

/// The comparisons of one sitting for one engine, at level crash: no sync hides what the adapter costs.
///
/// Each sitting makes stores, records and keys anew. Where they happen to lie in memory favours one side or the other
/// by up to 4 % for as long as they live, so that the blocks of one sitting are no replicates of each other: sittings
/// are, and the side that comes first takes turns.
func comparisons(_ id: String, directory: String, sitting: Int) throws -> [Comparison] {
  let backend = try findBackend(id)
  try? FileManager.default.removeItem(atPath: directory)
  for side in ["swift", "c"] {
    try FileManager.default.createDirectory(atPath: "\(directory)/\(side)", withIntermediateDirectories: true)
  }
  let open = { (directory: String) in id == "lmdb" ? cb_lmdb_open(directory) : cb_sqlite_open(directory) }
  let source = GeneratedRecords(count: 10_000, bytes: 100, seed: 1)
  let all = source.all
  let allInC = CRecords(all)
  var stores: (swift: (any StorageBackend)?, c: CStore?)
  for isSwift in sitting.isMultiple(of: 2) ? [true, false] : [false, true] {
    if isSwift {
      stores.swift = try backend.init(opening: StoreEnvironment(directory: "\(directory)/swift", durability: .crash))
      try stores.swift?.commit(all.map { .put($0) })
    } else {
      stores.c = try CStore(open("\(directory)/c"))
      try need(cb_save_all(stores.c?.pointer, allInC.records, allInC.records.count))
    }
  }
  guard let store = stores.swift, let c = stores.c else { return [] }

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
  let reads = id == "lmdb" ? 16 : 4
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
        if cb_read_bytes(c.pointer, keys, keys.count) != expected { throw StoreError.failed("C read other bytes") }
      }),
    Comparison(
      name: "\(id) read-one", bound: 1.15, blocks: reads, operations: keys.count,
      swift: {
        for key in keys { sink &+= try store.record(key, in: .records)?.payload.count ?? 0 }
      },
      c: {
        var record = cb_record()
        for key in keys {
          try need(cb_get(c.pointer, key, &record))
          sink &+= record.record.payload.count
          cb_done(c.pointer)
        }
      }),
    Comparison(
      name: "\(id) save-one", bound: 1.05, blocks: 4, operations: changes.count,
      swift: { for change in changes { try store.commit(change) } },
      c: { try need(cb_save_each(c.pointer, savedInC.records, savedInC.records.count)) }),
    Comparison(
      name: "\(id) import", bound: 1.10, blocks: 6, operations: imported.count,
      swift: { try fresh.store?.commit(imported) },
      c: { try need(cb_save_all(fresh.c?.pointer, allInC.records, allInC.records.count)) },
      prepare: { try fresh.prepare(isSwift: $0) }),
  ]
}
