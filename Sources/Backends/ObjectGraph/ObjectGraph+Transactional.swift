import ObjectGraph
import StorageContract

/// The context is the scratch pad that a transaction needs: its save is the commit, its rollback takes everything back.
extension ObjectGraphBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isInTransaction else {
      throw StoreError.failed("a transaction is running already; transactions do not nest")
    }
    isInTransaction = true
    defer { isInTransaction = false }
    return try GraphTransaction(graph).writing(body)
  }
}
