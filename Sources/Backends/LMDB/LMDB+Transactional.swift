import CStorageLMDB
import StorageContract

/// LMDB's own transactions. Readers of the same store go on seeing the state before.
extension LMDBBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try checkOpen()
    guard !isInTransaction else {
      throw StoreError.failed("a transaction is running already; transactions do not nest")
    }
    isInTransaction = true
    defer { isInTransaction = false }
    let handle = try LMDBTransaction.begin(environment)
    let number = mdb_txn_id(handle)
    let enlarge: LMDBTransaction.Enlarge = { old in
      try LMDBTransaction.begin(self.environment, inPlaceOf: old, number: number) { try self.grow() }
    }
    return try LMDBTransaction(handle, databases, isWriting: true, enlarge: grows ? enlarge : nil)
      .writing(in: directory, body)
  }
}
