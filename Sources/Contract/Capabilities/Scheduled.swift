/// A store that two processes of a crash test use at the same time, in an order that the test determines.
///
/// ``StorageBackend/commit(_:)`` and the opening throw ``StoreError/busy(_:)`` at once if another process holds a lock.
/// The process then lets the other one continue and tries again, so that no time passes.
public protocol Scheduled: StorageBackend {
  /// Returns options with which a few saves are enough to reach what the engine does rarely, such as checkpoints.
  static func busyOptions(_ options: Options) -> Options
  /// Does the work that the engine postpones beside other processes: writes its log back, for instance. Does nothing if
  /// another process is at it.
  ///
  /// - Throws: ``StoreError``.
  func checkpoint() throws
  /// Runs the engine's own check of the whole store.
  ///
  /// - Returns: A sentence on the damage that the check has found; nil if the store is in order.
  /// - Throws: ``StoreError``.
  func findDamage() throws -> String?
}
