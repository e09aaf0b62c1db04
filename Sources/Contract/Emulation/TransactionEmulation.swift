/// Transactions for an engine without them: changes stay in memory and are committed as one batch, or discarded by a
/// rollback.
final class TransactionEmulation: Transactional {
  private let store: any StorageBackend
  private var isRunning = false

  init(over store: any StorageBackend) { self.store = store }

  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isRunning else { throw StoreError.nestedTransaction }
    isRunning = true
    let transaction = BufferedTransaction(over: store)
    defer {
      transaction.end()
      isRunning = false
    }
    let result = try body(transaction)
    let changes = transaction.changes
    if !changes.isEmpty { try store.commit(changes) }
    return result
  }
}
