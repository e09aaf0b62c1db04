/// A store for many threads over a backend that is meant for one: one instance on a thread of its own, which is the
/// lock as well, since it takes one block at a time.
///
/// Every block costs two thread switches. Readers wait for readers and for the writer; what they read is a snapshot
/// because nobody else is let in.
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
    // A handle that was dropped instead of closed still has to let go of its files; nobody is left to tell of errors.
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

/// A store that nobody changes while the block runs, read as it is.
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

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try requireOpen()
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    return try store.count(in: collection)
  }
}
