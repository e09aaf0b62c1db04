/// A backend for crash tests in which two processes have one store open. Saving and opening throw
/// ``StoreError/busy(_:)`` instead of waiting for a lock.
public protocol Scheduled: StorageBackend {
  /// Returns the options, changed so that rare operations, such as checkpoints, happen every few saves.
  static func busyOptions(_ options: Options) -> Options
  /// Does postponed work, such as copying the log into the database file. Does nothing if another process is doing so.
  ///
  /// - Throws: ``StoreError``.
  func checkpoint() throws
  /// Runs the engine's check of the whole store for damage.
  ///
  /// - Returns: A sentence about the damage, or nil if the store is in order.
  /// - Throws: ``StoreError``.
  func findDamage() throws -> String?
}
