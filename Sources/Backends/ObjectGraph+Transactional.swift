import Contract
import ObjectGraph

/// The context is the scratch pad that a transaction needs: its save is the commit, its rollback takes everything back.
extension ObjectGraphBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isInTransaction else {
      throw StoreError.failed("a transaction is running already; transactions do not nest")
    }
    isInTransaction = true
    let transaction = GraphTransaction(self)
    defer {
      transaction.hasEnded = true
      isInTransaction = false
    }
    do {
      let result = try body(transaction)
      try StoreError.translating { try graph.context.save() }
      return result
    } catch {
      graph.context.rollback()
      throw error
    }
  }
}

/// The objects of a context with what has not been saved.
private final class GraphTransaction: StoreTransaction {
  private let store: ObjectGraphBackend
  private var scans: [CollectionID: Int] = [:]
  var hasEnded = false

  init(_ store: ObjectGraphBackend) { self.store = store }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the transaction has ended; it is valid only inside its block") }
  }

  func apply(_ change: Change) throws {
    try requireOpen()
    guard scans[change.collection, default: 0] == 0 else {
      throw StoreError.failed("collection \(change.collection.index) cannot be changed inside a scan of it")
    }
    try StoreError.translating { try store.graph.apply([change]) }
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
