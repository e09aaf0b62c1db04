import CStorageLMDB
import Foundation
import StorageContract

/// The backend `leveldb`: a log-structured merge tree. LevelDB's own thread writes full memory tables (4 MiB) to sorted
/// files, and merges the files.
final class LevelDBBackend: StorageBackend {
  static let compression = OptionSpec(
    "compression", ["snappy", "no"], help: "compress the blocks of the sorted files, or store them uncompressed")
  static let verify = OptionSpec(
    "verify", ["no", "yes"], help: "verify the checksum of each block that is read from a file")
  static let filter = OptionSpec(
    "filter", ["bloom", "no"],
    help: "use a Bloom filter of 10 bits per key to skip files without the key, or search every file")
  static let cache = OptionSpec(
    "cache", .size(or: "8MiB"), most: 1 << 40, help: "size of the cache of blocks; 8MiB is LevelDB's default")

  static let description = BackendDescription(
    id: "leveldb", appearance: Appearance(name: "LevelDB", mark: 7),
    summary: "LevelDB, a log-structured merge tree: a log, and sorted files that a background thread merges",
    safety: """
      At shipped, a power cut may lose or cut short the last saves; damage inside the log is skipped without an error and \
      loses the saves there; only one process can open the store; the records can only be counted by reading all of \
      them; counts of calls do not repeat, since LevelDB's own thread decides when it merges files.
      """,
    options: [compression, verify, filter, cache, KeyForm.option],
    kind: { _ in .page },
    mapped: { _ in .reads },
    engineVersion: { LevelDBLibrary.installed?.version ?? "LevelDB" },
    origin: { LevelDBLibrary.file },
    missing: { LevelDBLibrary.missing },
    refusesOthers: "LevelDB allows only one process to have the store open",
    isDefault: false,
    isDeterministic: false)

  let library: LevelDBLibrary
  // The LevelDB objects that a store creates once: the options for opening, reading and writing, and a batch.
  let opening: OpaquePointer
  private let filter: OpaquePointer?
  private let cache: OpaquePointer?
  private let reading: OpaquePointer
  let writing: OpaquePointer
  private let batch: OpaquePointer
  let settings: String
  let directory: String
  private let form: KeyForm
  private let collections: Int
  /// The open LevelDB database. Nil if the store is closed, or could not be reopened after a failed commit.
  var database: OpaquePointer?
  /// The number of iterations over records that are running. During an iteration, closing or reopening the database
  /// throws an error.
  var readers = 0
  /// The changes that undo a failed commit; nil if no commit has failed since the database was opened.
  var undo: [Change]?
  private var isClosed = false

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    switch durability {
    case .shipped, .crash: .level(.crash)
    // No level between `crash` and `durable` is possible: a power cut may keep unsynced data in part and in any order.
    case .intact, .durable: .level(.durable)
    }
  }

  init(opening environment: StoreEnvironment) throws {
    guard let library = LevelDBLibrary.installed else {
      throw StoreError.failed("LevelDB cannot be loaded; \(LevelDBLibrary.missing ?? "")")
    }
    self.library = library
    directory = environment.directory
    form = KeyForm(environment.options)
    collections = environment.collections.count
    let isCompressed = environment.options[Self.compression] == "snappy"
    let isVerified = environment.options[Self.verify] == "yes"
    let isSynced = environment.durability == .intact || environment.durability == .durable
    opening = library.options_create()
    library.options_set_create_if_missing(opening, 1)
    // With `paranoid_checks`, LevelDB would refuse a store after a power cut that interrupted the last save.
    library.options_set_compression(opening, isCompressed ? 1 : 0)
    // The filter has ten bits per key, as in LevelDB's documentation (doc/index.md, Filters).
    filter = environment.options[Self.filter] == "bloom" ? library.filterpolicy_create_bloom(10) : nil
    if let filter { library.options_set_filter_policy(opening, filter) }
    let size = environment.options[Self.cache]
    cache = size == Self.cache.defaultValue ? nil : Quantity.bytes(size).map(library.cache_create_lru)
    if let cache { library.options_set_cache(opening, cache) }
    reading = library.readoptions_create()
    library.readoptions_set_verify_checksums(reading, isVerified ? 1 : 0)
    writing = library.writeoptions_create()
    library.writeoptions_set_sync(writing, isSynced ? 1 : 0)
    batch = library.writebatch_create()
    settings = """
      sync=\(isSynced ? "yes" : "no") compression=\(isCompressed ? "snappy" : "no") \
      filter=\(filter == nil ? "no" : "bloom bits_per_key=10") \
      verify_checksums=\(isVerified ? "yes" : "no") paranoid_checks=no\
      \(cache == nil ? "" : " cache=\(size)")\(form.settings)
      """
    database = try open()
  }

  deinit {
    release()
    library.writebatch_destroy(batch)
    library.options_destroy(opening)
    if let filter { library.filterpolicy_destroy(filter) }
    if let cache { library.cache_destroy(cache) }
    library.readoptions_destroy(reading)
    library.writeoptions_destroy(writing)
  }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try changes.withUnsafeBufferPointer { changes in
      // Saves of one change reuse a batch, to avoid allocations. A large batch would keep its memory.
      let batch = changes.count == 1 ? batch : library.writebatch_create()
      defer { changes.count == 1 ? library.writebatch_clear(batch) : library.writebatch_destroy(batch) }
      for index in changes.indices {
        let change = changes.baseAddress.unsafelyUnwrapped + index
        if change.pointee.isDelete {
          try delete(change.record.pointee.id, in: change.pointee.collection, batch)
        } else {
          try put(change.record, in: change.pointee.collection, batch)
        }
      }
      try write(batch) { Array(changes) }
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    _ = try collection.checked(collections)
    let database = try opened()
    var count = 0
    let value = try check { failure in
      KeyCodec.withBytes(of: key, in: collection, form) {
        library.get(database, reading, $0.baseAddress, $0.count, &count, failure)
      }
    }
    guard let value else { return false }
    defer { library.free(value) }
    try body(RecordCodec.view(UnsafeRawBufferPointer(start: value, count: count), key: key))
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    guard form.isOrdered else {
      var sorter = KeySorter(keys)
      try walk(from: .min, in: collection) { key, iterator in
        try sorter.add(key) { try view(iterator, key) }
        return true
      }
      return try sorter.forEach(body)
    }
    try walk(from: keys.lowerBound, in: collection) { key, iterator in
      guard key <= keys.upperBound else { return false }
      return try body(view(iterator, key))
    }
  }

  @inline(__always)
  private func view(_ iterator: OpaquePointer, _ key: Int64) throws -> RecordView {
    var count = 0
    let value = library.iter_value(iterator, &count)
    return try RecordCodec.view(UnsafeRawBufferPointer(start: value, count: count), key: key)
  }

  func count(in collection: CollectionID) throws -> Int {
    var count = 0
    try walk(from: .min, in: collection) { _, _ in
      count += 1
      return true
    }
    return count
  }

  /// Writes LevelDB's memory table to a sorted file at once. Otherwise, LevelDB would do so only when the table is full
  /// (4 MiB), or at the next opening.
  func settle() throws {
    // All keys are smaller than this range, so only the memory table is written.
    try compact(from: [0xff], to: [0xff])
  }

  func close() throws {
    guard readers == 0 else { throw StoreError.busy("the store cannot be closed inside a read") }
    // Without the recovery, a failed save could reappear from the log at the next opening.
    if undo != nil { _ = try? recover() }
    release()
  }

  // MARK: - Members used by the extensions

  /// Calls the body with the records from `key` on, in key order, until the body returns false. With UUID keys, passes
  /// all records, in byte order.
  @inline(__always)
  func walk(from key: Int64, in collection: CollectionID, _ body: (Int64, OpaquePointer) throws -> Bool) throws {
    _ = try collection.checked(collections)
    let iterator = library.create_iterator(try opened(), reading)
    readers += 1
    defer {
      readers -= 1
      library.iter_destroy(iterator)
    }
    KeyCodec.withBytes(of: key, in: collection) {
      library.iter_seek(iterator, $0.baseAddress, form.isOrdered ? $0.count : 4)
    }
    while library.iter_valid(iterator) != 0 {
      var count = 0
      let bytes = UnsafeRawBufferPointer(start: library.iter_key(iterator, &count), count: count)
      guard let key = try KeyCodec.key(bytes, in: collection, form), try body(key, iterator) else { return }
      library.iter_next(iterator)
    }
    try check { library.iter_get_error(iterator, $0) }
  }

  @inline(__always)
  func put(_ record: UnsafePointer<Record>, in collection: CollectionID, _ batch: OpaquePointer) throws {
    _ = try collection.checked(collections)
    KeyCodec.withBytes(of: record.pointee.id, in: collection, form) { key in
      RecordCodec.withBytes(of: record) {
        library.writebatch_put(batch, key.baseAddress, key.count, $0.baseAddress, $0.count)
      }
    }
  }

  @inline(__always)
  func delete(_ key: Int64, in collection: CollectionID, _ batch: OpaquePointer) throws {
    _ = try collection.checked(collections)
    KeyCodec.withBytes(of: key, in: collection, form) { library.writebatch_delete(batch, $0.baseAddress, $0.count) }
  }

  @inline(__always)
  func opened() throws -> OpaquePointer {
    if let database { return database }
    guard !isClosed else { throw StoreError.failed("the store is closed") }
    return try recover()
  }

  private func release() {
    isClosed = true
    undo = nil
    if let database { library.close(database) }
    database = nil
  }
}
