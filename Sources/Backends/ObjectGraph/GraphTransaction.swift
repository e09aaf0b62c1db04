import ObjectGraph
import StorageContract

/// Transactions by means of the context: its save is the commit, its rollback undoes everything.
extension ObjectGraphBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isInTransaction else {
      throw StoreError.failed("a transaction is running already; transactions do not nest")
    }
    isInTransaction = true
    defer { isInTransaction = false }
    return try graph.writing(body)
  }
}

extension RecordGraph: TransactionEngine {
  func apply(_ change: Change) throws { try StoreError.translating { try apply([change]) } }

  /// Runs the body and saves its changes, or rolls them back if it throws.
  func writing<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self) { transaction in
      do {
        let result = try body(transaction)
        try StoreError.translating { try context.save() }
        return result
      } catch {
        context.rollback()
        throw error
      }
    }
  }

  /// Runs a body that only reads.
  func reading<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self, body)
  }
}
