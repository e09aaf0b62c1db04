/// A capability of a store, provided by the engine natively or by an emulation.
public struct Provided<Value> {
  /// The implementation of the capability: the engine's own, or an emulation that uses a backend's required members.
  public let value: Value
  /// Whether ``value`` is the engine's own implementation and not an emulation.
  public let isNative: Bool
}

extension Capability {
  /// Returns the native or emulated queries of a store. The emulation reads all records.
  public static func querying(of store: any StorageBackend) -> Provided<any Querying> {
    provide(store as? any Querying) { QueryEmulation(over: store) }
  }

  /// Returns queries that read and filter all records of a store, for backends whose engine answers only some queries
  /// itself.
  public static func emulatedQuerying(of store: any StorageBackend) -> any Querying { QueryEmulation(over: store) }

  /// Returns the native or emulated transactions of a store. The emulation commits buffered changes as one batch.
  public static func transactional(of store: any StorageBackend) -> Provided<any Transactional> {
    provide(store as? any Transactional) { TransactionEmulation(over: store) }
  }

  /// Returns the native or emulated links of a store. The emulation stores links as records. Call
  /// ``Relational/declare(_:)`` before any other member.
  public static func relational(of store: any StorageBackend) -> Provided<any Relational> {
    provide(store as? any Relational) { RelationEmulation(over: store) }
  }

  /// Opens a store for many threads, natively or by an emulation. The emulation has one instance of the backend on a
  /// separate thread, which runs the closures of reads and writes one at a time.
  ///
  /// The method opens the store itself, because an instance must stay on the thread that opened it.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func concurrent(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type
  ) throws -> Provided<any SharedStore> {
    try provide((backend as? any Concurrent.Type)?.openShared(environment)) {
      try SharedStoreEmulation(opening: environment, as: backend)
    }
  }

  /// Returns the native or emulated compaction of a store. The emulation writes every record again.
  ///
  /// - Parameters:
  ///   - store: The open store.
  ///   - environment: The environment in which the store was opened; it names the collections.
  public static func compacting(
    of store: any StorageBackend, in environment: StoreEnvironment
  ) -> Provided<any Compacting> {
    provide(store as? any Compacting) {
      CompactionEmulation(over: store, collections: environment.collections.indices.map { CollectionID($0) })
    }
  }

  /// Returns the native or emulated migration of a store. The emulation changes every record.
  public static func migrating(of store: any StorageBackend) -> Provided<any Migrating> {
    provide(store as? any Migrating) { MigrationEmulation(over: store) }
  }

  /// Returns the native or emulated bulk changes of a store. The emulation makes one commit of all changes.
  public static func bulk(of store: any StorageBackend) -> Provided<any Bulk> {
    provide(store as? any Bulk) { BulkEmulation(over: store) }
  }

  /// Returns the native or emulated observation of query results, such as a list on a screen. The emulation repeats the
  /// query after each save.
  public static func observing(of store: any StorageBackend) -> Provided<any Observing> {
    provide(store as? any Observing) { ObservingEmulation(over: store) }
  }

  /// Returns the native or emulated word search of a store. The emulation scans all records.
  public static func textSearching(of store: any StorageBackend) -> Provided<any TextSearching> {
    provide(store as? any TextSearching) { TextSearchEmulation(over: store) }
  }

  /// Opens a store that other processes may have open, natively or by an emulation. For ``SharingWay/documented``, the
  /// emulation opens the store again for each read or write.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func sharing(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay
  ) throws -> Provided<ProcessShare> {
    try provide((backend as? any Sharing.Type)?.openAmongProcesses(environment, way)) {
      try emulatedSharing(opening: environment, as: backend, way)
    }
  }

  /// Opens a store that other processes may have open, always by the emulation. It is for backends that share natively
  /// only with some of their options.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func emulatedSharing(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay
  ) throws -> ProcessShare {
    ProcessShare(try SharingEmulation(opening: environment, as: backend, way), losesNothing: false)
  }

  private static func provide<Value>(_ native: Value?, or emulation: () throws -> Value) rethrows -> Provided<
    Value
  > {
    if let native { return Provided(value: native, isNative: true) }
    return Provided(value: try emulation(), isNative: false)
  }
}
