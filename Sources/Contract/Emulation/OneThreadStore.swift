/// An adapter that gives a plain store the interface of a store for several threads. Only the thread that opened the
/// plain store may use the adapter.
package final class OneThreadStore: SharedStore, @unchecked Sendable {
  // The class is Sendable only because `SharedStore` requires it.

  /// The store that this adapter wraps. Only the thread that opened the store may use the store.
  package let store: any StorageBackend
  private let transactions: any Transactional

  /// Creates an adapter for an open store. `transactions` makes the writes; by default, they are transactions of the
  /// store, native or emulated.
  package init(_ store: any StorageBackend, transactions: (any Transactional)? = nil) {
    self.store = store
    self.transactions = transactions ?? Capability.transactional(of: store).value
  }

  package var settings: String { store.settings }

  package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    // Without changes, a buffered transaction reads the store directly.
    let snapshot = BufferedTransaction(over: store)
    defer { snapshot.end() }
    return try body(snapshot)
  }

  package func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try transactions.transaction(body)
  }

  package func settle() throws { try store.settle() }

  package func close() throws { try store.close() }
}
