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
    return try GraphTransaction(graph).writing(body)
  }
}

/// The transaction of a block: the objects of a context with unsaved changes.
final class GraphTransaction: StoreTransaction {
  private let graph: RecordGraph
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  init(_ graph: RecordGraph) { self.graph = graph }

  /// Runs the body and saves its changes, or rolls them back if it throws.
  func writing<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    defer { hasEnded = true }
    do {
      let result = try body(self)
      try StoreError.translating { try graph.context.save() }
      return result
    } catch {
      graph.context.rollback()
      throw error
    }
  }

  /// Runs a body that only reads.
  func reading<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    defer { hasEnded = true }
    return try body(self)
  }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the transaction has ended; it is valid only inside its block") }
  }

  func apply(_ change: Change) throws {
    try requireOpen()
    guard scans[change.collection, default: 0] == 0 else {
      throw StoreError.failed("collection \(change.collection.index) cannot be changed inside a scan of it")
    }
    try StoreError.translating { try graph.apply([change]) }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOpen()
    return try graph.read(key, in: collection, body)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try requireOpen()
    scans[collection, default: 0] += 1
    defer { scans[collection, default: 0] -= 1 }
    try graph.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    return try graph.count(in: collection)
  }
}
