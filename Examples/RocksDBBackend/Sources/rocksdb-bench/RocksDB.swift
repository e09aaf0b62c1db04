import CRocksDB
import Foundation
import StorageContract

/// `rocksdb`: RocksDB through its C interface, all collections in one key space.
public final class RocksDB: StorageBackend {
  public static let description = BackendDescription(
    id: "rocksdb", summary: "RocksDB, a log-structured merge tree",
    safety: "Shipped, a power cut may lose the last saves; counts do not repeat, as threads of its own merge files.",
    kind: { _ in .page }, engineVersion: { "RocksDB 7.8" },
    deviations: { _ in [Deviation(.fullDisk, "After a write that failed the process has to be started again.")] },
    isDeterministic: false)
  private let options = rocksdb_options_create(), reading = rocksdb_readoptions_create()
  private let writing = rocksdb_writeoptions_create()
  private let environment: StoreEnvironment
  private var database: OpaquePointer?
  /// Whether a write has failed. RocksDB then rejects others, and closing it fails an assertion in Debian's build.
  private var hasFailed = false
  public static func promise(_ durability: Durability, _ options: Options) -> Promise {
    .level(durability == .shipped || durability == .crash ? .crash : .durable)
  }
  public init(opening environment: StoreEnvironment) throws {
    self.environment = environment
    rocksdb_options_set_create_if_missing(options, 1)
    let promise = Self.promise(environment.durability, environment.options)
    rocksdb_writeoptions_set_sync(writing, promise == .level(.durable) ? 1 : 0)
    // If this file is lost, RocksDB would create an empty store in its place.
    let names = try FileManager.default.contentsOfDirectory(atPath: environment.directory)
    if !names.isEmpty, !names.contains("CURRENT") { throw StoreError.damaged("there are files, but no CURRENT") }
    database = try check { rocksdb_open(options, environment.directory, $0) }
  }
  deinit {
    try? close()
    rocksdb_options_destroy(options)
    rocksdb_readoptions_destroy(reading)
    rocksdb_writeoptions_destroy(writing)
  }
  public var settings: String { "sync=\(rocksdb_writeoptions_get_sync(writing))" }
  public func commit(_ changes: [Change]) throws {
    let batch = rocksdb_writebatch_create()
    defer { rocksdb_writebatch_destroy(batch) }
    for change in changes {
      try withKey(change.record.id, change.collection) { key, count in
        if change.isDelete { return rocksdb_writebatch_delete(batch, key, count) }
        RecordCodec.withBytes(of: change.record) { rocksdb_writebatch_put(batch, key, count, $0.chars, $0.count) }
      }
    }
    hasFailed = true
    try check { rocksdb_write(database, writing, batch, $0) }
    hasFailed = false
  }
  public func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws
  {
    try withKey(keys.lowerBound, collection) { start, length in
      let iterator = rocksdb_create_iterator(database, reading)
      defer { rocksdb_iter_destroy(iterator) }
      rocksdb_iter_seek(iterator, start, length)
      var count = 0
      while rocksdb_iter_valid(iterator) == 1 {
        guard
          let key = try KeyCodec.key(.init(start: rocksdb_iter_key(iterator, &count), count: count), in: collection),
          key <= keys.upperBound,
          try body(RecordCodec.view(.init(start: rocksdb_iter_value(iterator, &count), count: count), key: key))
        else { return }
        rocksdb_iter_next(iterator)
      }
      try check { rocksdb_iter_get_error(iterator, $0) }
    }
  }
  public func close() throws {
    if let database, !hasFailed { rocksdb_close(database) }
    database = nil
  }
  private func withKey(_ key: Int64, _ collection: CollectionID, _ use: (UnsafePointer<CChar>?, Int) throws -> Void)
    throws
  {
    _ = try collection.checked(environment.collections.count)
    if database == nil { throw StoreError.failed("the store is closed") }
    try KeyCodec.withBytes(of: key, in: collection) { try use($0.chars, $0.count) }
  }
  private func check<Result>(_ call: (StoreError.Text) -> Result) throws -> Result {
    try StoreError.check(in: environment.directory, call)
  }
}
