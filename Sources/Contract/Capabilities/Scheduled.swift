/// A store that two processes of a crash test have open at the same time and use in turns. The test determines the
/// turns, and only one process runs at a time.
///
/// If the other process holds a lock, ``StorageBackend/commit(_:)`` and ``StorageBackend/init(opening:)`` do not wait
/// for the lock. They throw ``StoreError/busy(_:)`` at once. The test then lets the other process run, and tries again.
public protocol Scheduled: StorageBackend {
  /// Returns a copy of the options, changed so that the engine's rare operations, such as checkpoints, happen after a
  /// few saves.
  static func busyOptions(_ options: Options) -> Options
  /// Does the work that the engine has postponed and can do while other processes use the store, such as writing its
  /// log back into the database file. Does nothing if another process is doing this work.
  ///
  /// - Throws: ``StoreError``.
  func checkpoint() throws
  /// Runs the engine's own check of the whole store.
  ///
  /// - Returns: A sentence on the damage that the check has found; nil if the store is in order.
  /// - Throws: ``StoreError``.
  func findDamage() throws -> String?
}
