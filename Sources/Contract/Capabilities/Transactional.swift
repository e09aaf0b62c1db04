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
