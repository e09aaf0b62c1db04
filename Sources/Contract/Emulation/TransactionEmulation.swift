/// Transactions on a store that has none. Changes are buffered, reads see them, and the end commits them as one batch,
/// which the store applies all or none.
///
/// To undo a transaction, the buffer is discarded: the store gets no change before all have been made.
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
