/// A backend for crash tests in which two processes have the same store open and run alternately.
///
/// If the other process holds a lock, ``StorageBackend/commit(_:)`` and ``StorageBackend/init(opening:)`` throw
/// ``StoreError/busy(_:)`` without waiting.
public protocol Scheduled: StorageBackend {
  /// Returns a copy of the options with which rare operations, such as checkpoints, happen after only a few saves.
  static func busyOptions(_ options: Options) -> Options
  /// Does postponed work of the engine, such as copying the log into the database file. Other processes may use the
  /// store meanwhile. Does nothing if another process is already doing this work.
  ///
  /// - Throws: ``StoreError``.
  func checkpoint() throws
  /// Runs the engine's check of the whole store for damage.
  ///
  /// - Returns: A sentence about the damage, or nil if the store is in order.
  /// - Throws: ``StoreError``.
  func findDamage() throws -> String?
}
