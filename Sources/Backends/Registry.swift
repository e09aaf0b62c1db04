import StorageContract

/// The storage strategies of this package.
public enum Backends {
  /// Every backend, in the order in which reports list them. To add one, write its file and add its line here.
  public static var all: [any StorageBackend.Type] {
    [
      PropertyListBackend.self,
      KeyedArchiveBackend.self,
      UserDefaultsBackend.self,
      SQLiteBackend.self,
      SQLiteQueueBackend.self,
      ObjectGraphBackend.self,
      LMDBBackend.self,
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
