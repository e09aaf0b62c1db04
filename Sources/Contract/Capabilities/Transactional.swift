/// The capability to change a store step by step, and to take every step back if one fails.
///
/// ``StorageBackend/commit(_:)`` already applies a batch that is known beforehand, all or none. A transaction is for
/// changes that depend on what is read on the way: a transfer between two accounts, ten inserts of which the sixth
/// fails.
///
///     try store.transaction { accounts in
///       guard let from = try accounts.record(1), from.score >= 10 else { throw Refused() }
///       ...
///     }
public protocol Transactional {
  /// Runs the block in a transaction and commits it; when this returns, the changes are as safe as the level says.
  ///
  /// Inside the block the store is reached through the transaction only. Transactions do not nest.
  ///
  /// - Parameter body: Reads its own changes. If it throws, the store holds what it held before.
  /// - Returns: What the block returns.
  /// - Throws: What the block throws, after everything is undone; ``StoreError`` if the commit fails, in which case
  ///   the store also holds what it held before, or if the block starts another transaction.
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// How a transaction's block wants it to end.
public enum TransactionCompletion: Sendable {
  /// Keep the changes.
  case commit
  /// Undo them, which is not an error.
  case rollback
}

extension Transactional {
  /// Runs the block in a transaction, and rolls it back where the block asks for it: FMDB's `*rollback = YES`.
  ///
  /// - Returns: What the block returned.
  /// - Throws: As ``transaction(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try transaction { try body($0).orThrow() } }
  }
}

extension SharedStore {
  /// Runs the block in a transaction, and rolls it back where the block asks for it.
  ///
  /// - Returns: What the block returned.
  /// - Throws: As ``write(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try write { try body($0).orThrow() } }
  }
}

/// The one way to undo a transaction that every engine has is an error of its block.
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
