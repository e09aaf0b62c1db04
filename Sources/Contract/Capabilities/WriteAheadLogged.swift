/// A store that may keep a write-ahead log. Saves are slower while the log file grows, because each sync then writes
/// more metadata.
public protocol WriteAheadLogged {
  /// Returns whether a store with the given durability and options keeps a write-ahead log.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Fills the write-ahead log once by small commits, so that later saves overwrite the log file. Does nothing without
  /// a log. No save may be running.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
