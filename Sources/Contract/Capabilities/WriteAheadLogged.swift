/// A store that may keep a write-ahead log, which grows until the engine overwrites the log from its start.
///
/// While the log grows, each sync also writes metadata of the file system, so a save can take twice as long. A short
/// measurement would see only these slow saves, so a run first calls ``useLog(of:)``.
public protocol WriteAheadLogged {
  /// Returns whether a store keeps a write-ahead log with this durability and these options.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Fills the write-ahead log of a store once, so that the next save begins again at the log's start. Does nothing if
  /// the store keeps no log. The store may be open, but no save may be running. The records do not change.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
