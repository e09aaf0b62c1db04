import StorageContract

/// A storage engine with an open transaction. A ``GuardedTransaction`` passes its calls to the engine.
protocol TransactionEngine: AnyObject {
  func apply(_ change: Change) throws
  func apply(together changes: [Change]) throws
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws
  func count(in collection: CollectionID) throws -> Int
}

extension TransactionEngine {
  func apply(together changes: [Change]) throws { for change in changes { try apply(change) } }
}

/// A transaction that is passed to a closure. Using the transaction after the closure, or changing a collection during
/// a scan of the collection, throws an error.
final class GuardedTransaction: StoreTransaction {
  private let engine: any TransactionEngine
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  private init(_ engine: any TransactionEngine) { self.engine = engine }

  static func run<Result>(
    on engine: any TransactionEngine, _ body: (GuardedTransaction) throws -> Result
  ) rethrows -> Result {
    let transaction = GuardedTransaction(engine)
    defer { transaction.hasEnded = true }
    return try body(transaction)
  }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the transaction has ended; it is valid only inside its block") }
  }

  func apply(_ change: Change) throws {
    try requireUnscanned(change)
    try engine.apply(change)
  }

  func apply(together changes: [Change]) throws {
    for change in changes { try requireUnscanned(change) }
    try engine.apply(together: changes)
  }

  private func requireUnscanned(_ change: Change) throws {
    try requireOpen()
    guard scans[change.collection, default: 0] == 0 else { throw StoreError.changeInsideScan(of: change.collection) }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOpen()
    return try engine.read(key, in: collection, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try requireOpen()
    scans[collection, default: 0] += 1
    defer { scans[collection, default: 0] -= 1 }
    try engine.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    return try engine.count(in: collection)
  }
}
