/// The capability to let several threads work on one open store, a ``SharedStore``, at the same time.
public protocol Concurrent {
  /// Opens the store in the environment's directory for many threads, or creates an empty store.
  ///
  /// - Throws: ``StoreError`` if a store exists and cannot be opened; the store is not changed.
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore

  /// Returns whether a write of a ``SharedStore`` can be committed while a read is still running. The default is false.
  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool
}

extension Concurrent {
  public static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { false }
}

/// An open store that several threads may use. A call to the store inside the closure of ``read(_:)`` or ``write(_:)``
/// throws ``StoreError/failed(_:)``.
public protocol SharedStore: Sendable {
  /// The settings that the engine uses for the open store, such as `journal_mode=wal synchronous=2`.
  var settings: String { get }

  /// Runs `body` on a fixed state of the store: all writes committed before the call, and no part of any other write.
  ///
  /// - Throws: ``StoreError``, and the errors of `body`.
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result

  /// Runs `body` in a transaction and commits it. Only one `body` runs at a time, across all threads.
  ///
  /// - Throws: The error of `body`, after all changes are undone; ``StoreError``.
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

  /// Performs the work that the engine of the store has postponed, such as a checkpoint.
  ///
  /// - Throws: ``StoreError``.
  func settle() throws

  /// Closes the store after all running reads and writes. Later calls throw ``StoreError/failed(_:)``.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
