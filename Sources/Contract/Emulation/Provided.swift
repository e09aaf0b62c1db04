/// An implementation of a capability for a store, either by the engine itself or by an emulation.
public struct Provided<Value> {
  /// The implementation of a capability for the store, by the engine or by an emulation.
  public let value: Value
  /// Whether the engine itself implements the capability, without an emulation.
  public let isNative: Bool
}

extension Capability {
  /// Returns the implementation of queries for a store: the engine's own, or an emulation that reads and filters all
  /// records.
  public static func querying(of store: any StorageBackend) -> Provided<any Querying> {
    provide(store as? any Querying) { QueryEmulation(store: store) }
  }

  /// Returns an emulation of queries that reads and filters all records, for an engine that answers only some queries
  /// itself.
  public static func emulatedQuerying(of store: any StorageBackend) -> any Querying { QueryEmulation(store: store) }

  /// Returns the implementation of transactions for a store: the engine's own, or an emulation that commits all changes
  /// as one batch.
  public static func transactional(of store: any StorageBackend) -> Provided<any Transactional> {
    provide(store as? any Transactional) { TransactionEmulation(over: store) }
  }

  /// Returns the implementation of links between records: the engine's own, or an emulation for an engine without
  /// links. Before use, call ``Relational/declare(_:)``.
  public static func relational(of store: any StorageBackend) -> Provided<any Relational> {
    provide(store as? any Relational) { RelationEmulation(over: store) }
  }

  /// Opens a store for many threads. If the engine does not support several threads, an emulation runs one closure at a
  /// time on one thread.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func concurrent(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type
  ) throws -> Provided<any SharedStore> {
    try provide((backend as? any Concurrent.Type)?.openShared(environment)) {
      try SharedStoreEmulation(opening: environment, as: backend)
    }
  }

  /// Returns the implementation of compaction for a store: the engine's own, or an emulation that writes every record
  /// again.
  ///
  /// - Parameter environment: The environment in which the store was opened; it names the collections.
  public static func compacting(
    of store: any StorageBackend, in environment: StoreEnvironment
  ) -> Provided<any Compacting> {
    provide(store as? any Compacting) {
      CompactionEmulation(store: store, collections: environment.collections.indices.map { CollectionID($0) })
    }
  }

  /// Returns the implementation of schema changes for a store: the engine's own, or an emulation that reads and writes
  /// every record.
  public static func migrating(of store: any StorageBackend) -> Provided<any Migrating> {
    provide(store as? any Migrating) { MigrationEmulation(store: store) }
  }

  /// Returns the implementation of bulk imports and deletions: the engine's own, or an emulation that commits all
  /// changes at once.
  public static func bulk(of store: any StorageBackend) -> Provided<any Bulk> {
    provide(store as? any Bulk) { BulkEmulation(store: store) }
  }

  /// Returns the implementation of lists that later commits update: the engine's own, or an emulation that runs each
  /// list's query again.
  public static func observing(of store: any StorageBackend) -> Provided<any Observing> {
    provide(store as? any Observing) { ObservingEmulation(over: store) }
  }

  /// Returns the implementation of word search for a store: the engine's own, or an emulation that scans all records.
  public static func textSearching(of store: any StorageBackend) -> Provided<any TextSearching> {
    provide(store as? any TextSearching) { TextSearchEmulation(store: store) }
  }

  /// Opens a store that other processes may have open. If the engine does not support this,
  /// ``emulatedSharing(opening:as:_:)`` opens the store.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func sharing(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay
  ) throws -> Provided<ProcessShare> {
    try provide((backend as? any Sharing.Type)?.openAmongProcesses(environment, way)) {
      try emulatedSharing(opening: environment, as: backend, way)
    }
  }

  /// Opens a store for several processes by an emulation, which reopens the store for each read or write. With
  /// ``SharingWay/naive``, the store stays open.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func emulatedSharing(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay
  ) throws -> ProcessShare {
    ProcessShare(try SharingEmulation(opening: environment, as: backend, way), losesNothing: false)
  }

  private static func provide<Value>(
    _ native: Value?, or emulation: () throws -> Value
  ) rethrows -> Provided<Value> {
    if let native { return Provided(value: native, isNative: true) }
    return Provided(value: try emulation(), isNative: false)
  }
}
