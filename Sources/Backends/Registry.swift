import StorageContract

/// The list of this package's backends. A backend is an adapter through which the suite uses and measures a storage
/// engine.
public enum Backends {
  /// The backends, in the order in which reports list them. To add a backend, write its file and add a line for it.
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
