/// A store that may keep a write-ahead log.
///
/// While the log file grows, a save can take twice as long, because each sync also writes metadata of the file system.
/// Call ``useLog(of:)`` before a measurement, so that the log file does not grow during saves.
public protocol WriteAheadLogged {
  /// Returns whether a store with the given durability and options keeps a write-ahead log.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Fills the write-ahead log of a store once and makes a checkpoint.
  ///
  /// The next save then overwrites the log from its start, and the log file does not grow. Does nothing if the store
  /// keeps no log. The store may be open, but no save may be running.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
