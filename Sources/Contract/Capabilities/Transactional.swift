/// The capability to change a store step by step, and to undo all steps if one fails.
///
/// The changes may depend on data that the transaction has read, as in a transfer between two accounts:
///
///     try store.transaction { accounts in
///       guard let from = try accounts.record(1), from.score >= 10 else { throw Refused() }
///       ...
///     }
public protocol Transactional {
  /// Runs the closure `body` in a transaction and commits the transaction, with the safety ``Level`` that the backend
  /// promises.
  ///
  /// Inside the closure, use the store only through the transaction.
  ///
  /// - Throws: The closure's error; ``StoreError`` if the commit fails or if the closure starts another transaction.
  ///   The store is then unchanged.
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// The outcome that the closure of a transaction requests: to commit the transaction or to roll it back.
public enum TransactionCompletion: Sendable {
  /// The request to keep the changes of the transaction.
  case commit
  /// The request to undo the changes of the transaction, without an error.
  case rollback
}

extension Transactional {
  /// Runs the closure `body` in a transaction. If the closure returns ``TransactionCompletion/rollback``, all its
  /// changes are undone.
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
  /// Runs the closure `body` in a transaction on a shared store. If the closure returns
  /// ``TransactionCompletion/rollback``, all its changes are undone.
  ///
  /// - Throws: The same errors as ``write(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try write { try body($0).orThrow() } }
  }
}

/// The error that ends a transaction whose closure requests a rollback.
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
