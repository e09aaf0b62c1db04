/// A store that may keep a write-ahead log, which grows until the engine writes it again from its start.
///
/// While the log grows, each sync also writes metadata of the file system, so a save can take twice as long as in an
/// app that has run for a while. A short trial ends before the log reaches its full length.
public protocol WriteAheadLogged {
  /// Returns whether a store keeps a log, for a durability and options.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Fills the log of a store once to its full length, so that the next save begins again at its start. Does nothing if
  /// the store keeps no log. The store may be open, but no save may be running. The records do not change.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
