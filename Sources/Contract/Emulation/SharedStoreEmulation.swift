/// A store for many threads on a backend that works on one thread only. A separate thread runs the closures of all
/// reads and writes, one at a time. Every closure costs two thread switches.
final class SharedStoreEmulation: SharedStore {
  private struct Opened {
    let store: any StorageBackend
    let transactions: any Transactional
  }

  private let owner: StoreThread<Opened>
  let settings: String

  init(opening environment: StoreEnvironment, as backend: any StorageBackend.Type) throws {
    owner = try StoreThread {
      let store = try backend.init(opening: environment)
      return Opened(store: store, transactions: Capability.transactional(of: store).value)
    }
    settings = try owner.run { $0.store.settings }
  }

  deinit {
    // A handle that was dropped without being closed must still close its files. Errors have no receiver then.
    try? close()
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try owner.run { opened in
      let snapshot = DirectSnapshot(of: opened.store)
      defer { snapshot.end() }
      return try body(snapshot)
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try owner.run { try $0.transactions.transaction(body) }
  }

  func settle() throws { try owner.run { try $0.store.settle() } }

  func close() throws { try owner.stop { try $0.store.close() } }
}

/// A snapshot that reads the store directly, without a copy. Nothing else changes the store while the closure of a read
/// runs.
final class DirectSnapshot: StoreSnapshot {
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
