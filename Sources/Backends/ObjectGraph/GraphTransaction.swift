import ObjectGraph
import StorageContract

/// Transactions of an object graph that works like Core Data. A transaction ends with a save, or with a rollback after
/// an error.
extension ObjectGraphBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isInTransaction else { throw StoreError.nestedTransaction }
    isInTransaction = true
    defer { isInTransaction = false }
    return try graph.writing(body)
  }
}

extension RecordGraph: TransactionEngine {
  func apply(_ change: Change) throws { try StoreError.translating { try apply([change]) } }
  func apply(together changes: [Change]) throws { try StoreError.translating { try apply(changes) } }

  func writing<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self) { transaction in try saving { try body(transaction) } }
  }

  func reading<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self, body)
  }
}
