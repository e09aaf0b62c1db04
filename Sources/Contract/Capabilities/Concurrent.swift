/// The capability to let several threads work on one store at the same time.
///
/// Instances of ``StorageBackend`` stay on the thread that opened them. Work from many threads goes through a handle
/// that the backend opens instead: a pool of connections, a queue, an environment with many read transactions.
public protocol Concurrent {
  /// Opens the store in the environment's directory for many threads, or creates an empty one if there is none.
  ///
  /// - Throws: ``StoreError`` if there is something that cannot be opened; it is left as it is.
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore
}

/// An open store that every thread may use.
///
/// Blocks run synchronously: a call returns when its block has. Which thread runs the block is the engine's choice.
/// A block must not call the handle again: it would wait for itself. Implementations throw ``StoreError/failed(_:)``
/// instead.
public protocol SharedStore: Sendable {
  /// The literal settings in force, as ``StorageBackend/settings``.
  var settings: String { get }

  /// Runs the block on one state of the store: everything that writes committed before, and nothing of a write that
  /// is still going on or comes later.
  ///
  /// - Returns: What the block returns.
  /// - Throws: ``StoreError``, and what the block throws.
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result

  /// Runs the block in a transaction, one at a time among all threads, and commits it; as
  /// ``Transactional/transaction(_:)``.
  ///
  /// - Returns: What the block returns.
  /// - Throws: What the block throws, after everything is undone; ``StoreError``.
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

  /// Does now what the engine puts off, as ``StorageBackend/settle()``.
  ///
  /// - Throws: ``StoreError``.
  func settle() throws

  /// Closes the store when running blocks have ended. Later calls throw ``StoreError/failed(_:)``.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
