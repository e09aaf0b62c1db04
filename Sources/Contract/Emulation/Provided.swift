/// A capability of a store, and where it comes from.
public struct Provided<Value> {
  /// The engine's own, or the emulation over its required members.
  public let value: Value
  /// Whether it is the engine's own.
  public let isNative: Bool
}

extension Capability {
  /// Finds, counts and sums; emulated by reading everything.
  public static func querying(of store: any StorageBackend) -> Provided<any Querying> {
    provide(store as? any Querying) { QueryEmulation(over: store) }
  }

  /// Transactions; emulated by changes that are held back and committed as one batch.
  public static func transactional(of store: any StorageBackend) -> Provided<any Transactional> {
    provide(store as? any Transactional) { TransactionEmulation(over: store) }
  }

  /// Links; emulated by link records. ``Relational/declare(_:)`` comes next.
  public static func relational(of store: any StorageBackend) -> Provided<any Relational> {
    provide(store as? any Relational) { RelationEmulation(over: store) }
  }

  /// A store for many threads; emulated by one instance on a thread of its own, which takes one block at a time.
  ///
  /// It opens the store, since instances cannot be taken from the thread that opened them.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func concurrent(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type
  ) throws -> Provided<any SharedStore> {
    try provide((backend as? any Concurrent.Type)?.openShared(environment)) {
      try SharedStoreEmulation(opening: environment, as: backend)
    }
  }

  /// Compaction; emulated by writing every record again.
  ///
  /// - Parameters:
  ///   - store: The open store.
  ///   - environment: What it was opened with; it names the collections.
  public static func compacting(
    of store: any StorageBackend, in environment: StoreEnvironment
  ) -> Provided<any Compacting> {
    provide(store as? any Compacting) {
      CompactionEmulation(over: store, collections: environment.collections.indices.map { CollectionID($0) })
    }
  }

  /// Added attributes; emulated by changing every record.
  public static func migrating(of store: any StorageBackend) -> Provided<any Migrating> {
    provide(store as? any Migrating) { MigrationEmulation(over: store) }
  }

  /// Bulk imports and deletions; emulated by one commit of all changes.
  public static func bulk(of store: any StorageBackend) -> Provided<any Bulk> {
    provide(store as? any Bulk) { BulkEmulation(over: store) }
  }

  /// Lists that are kept up to date; emulated by asking again after each save.
  public static func observing(of store: any StorageBackend) -> Provided<any Observing> {
    provide(store as? any Observing) { ObservingEmulation(over: store) }
  }

  /// Words in texts; emulated by a walk over all records.
  public static func textSearching(of store: any StorageBackend) -> Provided<any TextSearching> {
    provide(store as? any TextSearching) { TextSearchEmulation(over: store) }
  }

  /// A store that other processes have open, too; emulated by opening it for each block, see `SharingEmulation`.
  ///
  /// - Throws: ``StoreError`` if the store cannot be opened.
  public static func sharing(
    opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay
  ) throws -> Provided<ProcessShare> {
    try provide((backend as? any Sharing.Type)?.openAmongProcesses(environment, way)) {
      try emulatedSharing(opening: environment, as: backend, way)
    }
  }

  /// The emulation, for backends of which some options have a way of their own and others have none.
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
