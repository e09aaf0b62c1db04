/// The capability to change a store step by step and undo all steps if one fails, as in a transfer between accounts.
public protocol Transactional {
  /// Runs `body` in a transaction and commits the changes. Inside `body`, use only the transaction, not the store.
  ///
  /// - Throws: The error of `body`, or ``StoreError``. After an error, the store is unchanged.
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// The outcome that the closure of a transaction requests: to commit the transaction or to roll it back.
public enum TransactionCompletion: Sendable {
  /// The request to keep the changes of the transaction.
  case commit
  /// The request to undo the changes of the transaction. The caller gets no error.
  case rollback
}

extension Transactional {
  /// Runs `body` in a transaction. If the closure returns ``TransactionCompletion/rollback``, all its changes are
  /// undone.
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
  /// Runs `body` in a transaction of a shared store. A result of ``TransactionCompletion/rollback`` undoes all changes.
  ///
  /// - Throws: The same errors as ``write(_:)``.
  @discardableResult
  public func inTransaction(
    _ body: (any StoreTransaction) throws -> TransactionCompletion
  ) throws -> TransactionCompletion {
    try rollingBackOnRequest { try write { try body($0).orThrow() } }
  }
}

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
