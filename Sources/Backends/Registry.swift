import StorageContract

/// The list of all backends, the adapters through which the benchmarks use the storage engines.
public enum Backends {
  /// All backends, in the order in which reports list them. A new backend must be added to this list.
  public static var all: [any StorageBackend.Type] {
    [
      PropertyListBackend.self,
      KeyedArchiveBackend.self,
      UserDefaultsBackend.self,
      SQLiteBackend.self,
      SQLiteQueueBackend.self,
      ObjectGraphBackend.self,
      LMDBBackend.self,
      MDBXBackend.self,
      LevelDBBackend.self,
      JSONFileBackend.self,
      TextFileBackend.self,
      FilesBackend.self,
      KeychainBackend.self,
      RealmBackend.self,
      MemoryCacheBackend.self,
      MemoryBackend.self,
      NullBackend.self,
    ]
  }
}
