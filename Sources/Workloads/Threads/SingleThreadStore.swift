import StorageContract

/// A store on the thread that opened it, with the interface of a shared one. Code for several threads can use it
/// without starting another thread.
final class SingleThreadStore: SharedStore, @unchecked Sendable {
  // It is marked as Sendable only to conform: its session has one thread.

  let store: any StorageBackend
  private let transactions: any Transactional

  init(_ store: any StorageBackend) {
    self.store = store
    transactions = Capability.transactional(of: store).value
  }

  var settings: String { store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try body(Snapshot(store: store)) }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try transactions.transaction(body)
  }

  func settle() throws { try store.settle() }

  func close() throws { try store.close() }

  private struct Snapshot: StoreSnapshot {
    let store: any StorageBackend

    func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
      try store.read(key, in: collection, body)
    }

    func scan(
      _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
    ) throws {
      try store.scan(keys, in: collection, body)
    }

    func count(in collection: CollectionID) throws -> Int { try store.count(in: collection) }
  }
}
