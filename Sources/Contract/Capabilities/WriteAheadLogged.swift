/// A store that may keep a write-ahead log, which grows until it is used again from its start.
///
/// While it grows each sync writes metadata of the file system as well: a save can take twice as long as in an app that has
/// run for a while, and a short trial ends before the log is full.
public protocol WriteAheadLogged {
  /// Whether a store keeps a log under a durability and with options.
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool
  /// Uses the log of a store once to its full length, so that the next save begins again at its start; nothing where the
  /// store keeps no log. The store may be open, and no save is running. The records stay as they are.
  ///
  /// - Throws: ``StoreError``.
  static func useLog(of environment: StoreEnvironment) throws
}
