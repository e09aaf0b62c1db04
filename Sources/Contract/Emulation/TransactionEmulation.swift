/// The emulation of transactions for stores without them. Changes are buffered, and reads of the transaction see the
/// buffered changes. At the end, the store gets all changes as one batch; a rollback discards the buffer.
final class TransactionEmulation: Transactional {
  private let store: any StorageBackend
  private var isRunning = false

  init(over store: any StorageBackend) { self.store = store }

  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isRunning else {
      throw StoreError.failed("a transaction is running already; transactions do not nest")
    }
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
