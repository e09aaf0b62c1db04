import CBaseline
import Foundation
import StorageContract
import StorageWorkloads

/// An open store of the C side, closed when it is released.
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

/// A sitting: new stores of both sides for one engine at one level.
///
/// The positions of stores, records and keys in memory favour one side by up to 4 % for their whole lifetime. The
/// blocks of one sitting are therefore not independent replicates, but sittings are. The side that runs first
/// alternates.
struct Sitting {
  let id: String
  let durability: Durability
  let backend: any StorageBackend.Type
  let directory: String
  let source = GeneratedRecords(count: 10_000, bytes: 100, seed: 1)
  let all: [Record]
  let allInC: CRecords
  let store: any StorageBackend
  let c: CStore

  /// Fills both stores.
  ///
  /// - Parameters:
  ///   - id: The id of the engine's backend.
  ///   - durability: The level at which both sides save.
  ///   - directory: The directory of the stores.
  ///   - number: The number of the sitting. The side that runs first alternates with it.
  init(_ id: String, _ durability: Durability, directory: String, number: Int) throws {
    (self.id, self.durability, self.directory) = (id, durability, directory)
    backend = try findBackend(id)
    try? FileManager.default.removeItem(atPath: directory)
    for side in ["swift", "c"] {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(side)", withIntermediateDirectories: true)
    }
    all = source.all
    allInC = CRecords(all)
    var stores: (swift: (any StorageBackend)?, c: CStore?)
    for isSwift in number.isMultiple(of: 2) ? [true, false] : [false, true] {
      if isSwift {
        stores.swift = try backend.init(
          opening: StoreEnvironment(directory: "\(directory)/swift", durability: durability))
        try stores.swift?.commit(all.map { .put($0) })
      } else {
        stores.c = try CStore(Self.openInC(id, "\(directory)/c", durability))
        try need(cb_save_all(stores.c?.pointer, allInC.records, allInC.records.count))
      }
    }
    guard let store = stores.swift, let c = stores.c else { throw StoreError.failed("a store is missing") }
    (self.store, self.c) = (store, c)
  }

  private static func openInC(_ id: String, _ directory: String, _ durability: Durability) -> OpaquePointer? {
    let isDurable: Int32 = durability == .durable ? 1 : 0
    return id == "lmdb" ? cb_lmdb_open(directory, isDurable) : cb_sqlite_open(directory, isDurable)
  }

  /// The comparisons at this level.
  func comparisons() throws -> [HandComparison] {
    try durability == .durable ? [saving("save-one durable", 200), mixing("mix durable", 200)] : unsynced()
  }

  /// Returns the comparisons at level crash, where no sync hides the cost of the adapter.
  private func unsynced() throws -> [HandComparison] {
    // As in saving(_:_:): created in the order of use, and C's right afterwards, so that neither is better placed in
    // memory.
    let (store, c, imported) = (store, c, all.map { Change.put($0.copied) })
    let importedInC = CRecords(imported.map(\.record))
    var random = RandomStream(seed: 1, .key, 0)
    let keys = (0..<5_000).map { _ in source.key(at: random.below(source.count)) }
    var expected: UInt64 = 0
    for key in keys { source.record(at: Int(key) - 1).withView { expected &+= ByteSum.of($0) } }
    let fresh = FreshStores(
      backend, openInC: { [id, durability] in Self.openInC(id, $0, durability) }, directory: "\(directory)/fresh")
    // A read takes less than half a microsecond in LMDB, so it needs more blocks for the same time.
    let reads = id == "lmdb" ? 16 : 4
    var sink = 0
    return try [
      HandComparison(
        name: "\(id) read-bytes", bound: 1.05, blocks: reads, operations: keys.count,
        swift: {
          var sum: UInt64 = 0
          for key in keys { _ = try store.read(key, in: .records) { sum &+= ByteSum.of($0) } }
          if sum != expected { throw StoreError.failed("Swift read other bytes") }
        },
        c: {
          if cb_read_bytes(c.pointer, keys, keys.count) != expected { throw StoreError.failed("C read other bytes") }
        }),
      HandComparison(
        name: "\(id) read-one", bound: id == "sqlite" ? 1.03 : 1.05, blocks: reads, operations: keys.count,
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
      saving("save-one", 2_000),
      mixing("mix", 200),
      HandComparison(
        name: "\(id) import", bound: 1.03, blocks: id == "lmdb" ? 24 : 12, operations: imported.count,
        swift: { try fresh.store?.commit(imported) },
        c: { try need(cb_save_all(fresh.c?.pointer, importedInC.records, importedInC.records.count)) },
        prepare: { try fresh.prepare(isSwift: $0) }),
    ]
  }

  /// Records saved one by one.
  private func saving(_ name: String, _ count: Int) -> HandComparison {
    var random = RandomStream(seed: 1, .key, 1)
    // Texts are created in the order of use, like the copies for C, so that neither side fetches them from scattered
    // memory.
    let saved = (0..<count).map { _ -> Record in
      var record = source.record(at: random.below(source.count))
      record.payload = GeneratedRecords.payload(100, .random, &random)
      return record
    }
    let changes = saved.map { [Change.put($0)] }
    let savedInC = CRecords(saved)
    return HandComparison(
      name: "\(id) \(name)", bound: 1.05, blocks: 4, operations: count,
      swift: { [store] in for change in changes { try store.commit(change) } },
      c: { [c] in try need(cb_save_each(c.pointer, savedInC.records, savedInC.records.count)) })
  }

  /// Half reads and half updates, done by the session that `run` times.
  private func mixing(_ name: String, _ count: Int) throws -> HandComparison {
    let context = { [source, store] (backend: any StorageBackend.Type, environment: StoreEnvironment) in
      SessionContext(
        fixture: Fixture(source), seed: 1, recordBytes: 100, isCounting: false,
        isVerifiable: backend.description.isVerifiable, backend: backend, environment: environment,
        open: backend.description.isVerifiable ? { store } : nil)
    }
    let recorded = try RecordedMix(context, operations: count)
    let session = try Mix.halfReads.session(context(backend, StoreEnvironment(directory: directory)))
    try session.setUp()
    var sink = 0
    return HandComparison(
      name: "\(id) \(name)", bound: 1.05, blocks: 8, operations: count,
      swift: { try session.perform(0..<count) {} },
      c: { [c] in try recorded.run(c, sink: &sink) },
      prepare: { isSwift in if isSwift { try session.prepare(0..<count) } })
  }
}

extension Record {
  /// A copy of the record with separate texts and payload.
  fileprivate var copied: Record { withView { $0.record() } }
}
