import StorageContract

extension SQLiteBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try transacting {
      let transaction = SQLiteTransaction(on: self)
      defer { transaction.end() }
      return try body(transaction)
    }
  }
}

/// The transaction of a block between `BEGIN` and `COMMIT`. It uses the store's connection.
final class SQLiteTransaction: StoreTransaction {
  private let store: SQLiteBackend
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  init(on store: SQLiteBackend) { self.store = store }

  /// Invalidates the transaction: later calls throw.
  func end() { hasEnded = true }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the transaction has ended; it is valid only inside its block") }
  }

  func apply(_ change: Change) throws {
    try requireOpen()
    guard scans[change.collection, default: 0] == 0 else {
      throw StoreError.failed("collection \(change.collection.index) cannot be changed inside a scan of it")
    }
    try store.apply(change)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOpen()
    return try store.read(key, in: collection, body)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try requireOpen()
    scans[collection, default: 0] += 1
    defer { scans[collection, default: 0] -= 1 }
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    return try store.count(in: collection)
  }
}
