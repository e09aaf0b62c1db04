/// The capability to let several threads work on one store at the same time.
///
/// An instance of ``StorageBackend`` stays on the thread that opened it. Many threads use a handle instead: a pool of
/// connections, a queue, or an environment with many read transactions.
public protocol Concurrent {
  /// Opens the store in the environment's directory for many threads, or creates an empty store.
  ///
  /// - Throws: ``StoreError`` if a store exists and cannot be opened; the store is not changed.
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore

  /// Returns whether a write can be committed while the closure of a ``SharedStore`` read runs, for the given
  /// durability and options. The default is false.
  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool
}

extension Concurrent {
  public static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { false }
}

/// A handle to an open store that every thread may use.
///
/// A block, the closure of a read or write, runs synchronously: the call returns when the block has ended. The engine
/// chooses the thread. If a block calls the handle again, the block would wait for itself, so the call throws
/// ``StoreError/failed(_:)``.
public protocol SharedStore: Sendable {
  /// The store's settings in force, such as `journal_mode=wal synchronous=2`. See ``StorageBackend/settings``.
  var settings: String { get }

  /// Runs the closure `body` on one state of the store. The state includes all writes that were committed before the
  /// call, and no part of an unfinished or later write.
  ///
  /// - Throws: ``StoreError``, and the errors of `body`.
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result

  /// Runs the closure `body` in a transaction and commits it, as ``Transactional/transaction(_:)`` does. Only one such
  /// closure runs at a time, across all threads.
  ///
  /// - Throws: The error of `body`, after all changes are undone; ``StoreError``.
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

  /// Performs the work that the engine has deferred, such as a checkpoint, as ``StorageBackend/settle()`` does.
  ///
  /// - Throws: ``StoreError``.
  func settle() throws

  /// Waits until all running closures of reads and writes have ended, and closes the store. Later calls of any member
  /// throw ``StoreError/failed(_:)``.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
