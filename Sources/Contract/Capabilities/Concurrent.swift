/// The capability to let several threads work on one store at the same time.
///
/// The threads use a ``SharedStore``, such as a pool of connections to a database. An instance of ``StorageBackend``
/// stays on one thread.
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

/// A handle to an open store that every thread may use.
///
/// A read or write runs a closure on a thread that the engine chooses, and returns when the closure has ended. Inside
/// the closure, calls of the handle throw ``StoreError/failed(_:)``.
public protocol SharedStore: Sendable {
  /// The settings that the engine uses for the open store, such as `journal_mode=wal synchronous=2`.
  var settings: String { get }

  /// Runs the closure `body` on a fixed state of the store. The state contains all writes that were committed before
  /// the call, and no part of other writes.
  ///
  /// - Throws: ``StoreError``, and the errors of `body`.
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result

  /// Runs `body` in a transaction and commits the transaction, as ``Transactional/transaction(_:)`` does. Only one such
  /// closure runs at a time, across all threads.
  ///
  /// - Throws: The error of `body`, after all changes are undone; ``StoreError``.
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

  /// Performs the work that the engine of the store has postponed, such as a checkpoint.
  ///
  /// - Throws: ``StoreError``.
  func settle() throws

  /// Waits until all running reads and writes have ended, and closes the store. Later calls on the store throw
  /// ``StoreError/failed(_:)``.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
