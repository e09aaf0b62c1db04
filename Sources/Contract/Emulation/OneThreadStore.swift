/// An adapter that gives a plain store the interface ``SharedStore``. Unlike other shared stores, only the thread that
/// opened the store may use it.
package final class OneThreadStore: SharedStore, @unchecked Sendable {
  // The class is Sendable only because `SharedStore` requires it.

  /// The store that this adapter wraps. Only the thread that opened the store may use the store.
  package let store: any StorageBackend
  private lazy var transactions: any Transactional = Capability.transactional(of: store).value

  /// Makes an open store usable as a ``SharedStore``. Writes are the store's own transactions. With
  /// `emulatesTransactions`, or if the store has none, each write commits all changes as one batch.
  package init(_ store: any StorageBackend, emulatesTransactions: Bool = false) {
    self.store = store
    if emulatesTransactions { transactions = TransactionEmulation(over: store) }
  }

  package var settings: String { store.settings }

  package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    let snapshot = DirectSnapshot(of: store)
    defer { snapshot.end() }
    return try body(snapshot)
  }

  package func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try transactions.transaction(body)
  }

  package func settle() throws { try store.settle() }

  package func close() throws { try store.close() }
}

/// A snapshot that reads the store directly, without a copy. The store must not change before ``end()``.
private final class DirectSnapshot: StoreSnapshot {
  private let store: any StorageBackend
  private var hasEnded = false

  init(of store: any StorageBackend) { self.store = store }

  func end() { hasEnded = true }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the snapshot has ended; it is valid only inside its block") }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOpen()
    return try store.read(key, in: collection, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try requireOpen()
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    return try store.count(in: collection)
  }
}
