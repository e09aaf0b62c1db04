/// The capability to change a store step by step, and to undo every step if one fails.
///
/// ``StorageBackend/commit(_:)`` applies a known batch, all or none. A transaction is for changes that depend on data
/// that the transaction reads: a transfer between two accounts, or ten inserts of which the sixth fails.
///
///     try store.transaction { accounts in
///       guard let from = try accounts.record(1), from.score >= 10 else { throw Refused() }
///       ...
///     }
public protocol Transactional {
  /// Runs the block, the closure `body`, in a transaction and commits the transaction. When the call returns, the
  /// changes are as safe as the durability level requires.
  ///
  /// Inside the block, use the store only through the transaction. Transactions do not nest.
  ///
  /// - Parameter body: The block, whose reads see its own changes. If it throws, the store is unchanged.
  /// - Throws: The block's error, after all changes are undone; ``StoreError`` if the block starts another transaction,
  ///   or if the commit fails, in which case the store is also unchanged.
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// The end of a transaction that the transaction's block (a closure) requests: commit or rollback.
public enum TransactionCompletion: Sendable {
  /// The block of the transaction keeps its changes: the transaction is committed.
  case commit
  /// The block of the transaction undoes its changes: the transaction is rolled back, which is not an error.
  case rollback
}

extension Transactional {
  /// Runs the closure `body` in a transaction and rolls back if the closure returns a rollback, like `*rollback = YES`
  /// in FMDB.
  ///
  /// - Throws: The same errors as ``transaction(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try transaction { try body($0).orThrow() } }
  }
}

extension SharedStore {
  /// Runs the closure `body` in a transaction on a shared store, and rolls back if the closure returns a rollback.
  ///
  /// - Throws: The same errors as ``write(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try write { try body($0).orThrow() } }
  }
}

/// An error that a transaction's block throws to roll back: every engine undoes a transaction whose block throws.
private struct RollbackRequest: Error {}

extension TransactionCompletion {
  fileprivate func orThrow() throws {
    if self == .rollback { throw RollbackRequest() }
  }
}

private func rollingBackOnRequest(_ body: () throws -> Void) throws -> TransactionCompletion {
  do {
    try body()
    return .commit
  } catch is RollbackRequest {
    return .rollback
  }
}
