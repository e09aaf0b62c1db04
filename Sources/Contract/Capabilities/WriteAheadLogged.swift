/// A store that may keep a write-ahead log.
///
/// While the log file grows, a save can take twice as long, because each sync also writes metadata of the file system.
/// So a benchmark run calls ``useLog(of:)`` before it measures: later saves then overwrite the filled log file, which
/// no longer grows.
public protocol WriteAheadLogged {
  /// Returns whether a store with the given durability and options keeps a write-ahead log.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Fills the write-ahead log of a store once, so that the next save overwrites the log from its start. Does nothing
  /// if the store keeps no log. The store may be open, but no save may be running.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
