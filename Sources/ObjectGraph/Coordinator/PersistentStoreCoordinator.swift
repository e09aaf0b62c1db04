import Foundation

/// A coordinator through which contexts read and save stores with the same data model. Only one save runs at a time.
public final class PersistentStoreCoordinator: @unchecked Sendable {
  // Sendable because mutable state is changed only while `writing` and `gate` are locked, and read while either is
  // locked. The stores synchronize themselves.

  /// The model of all stores of the coordinator.
  public let managedObjectModel: ManagedObjectModel
  /// The lock for saves, for opening and closing stores, and for ``performAndWait(_:)``.
  private let writing = NSRecursiveLock()
  private let gate = NSCondition()
  private var openStores: [PersistentStore] = []
  let rowCache = RowCache()
  /// The thread that now runs ``performAndWait(_:)``, or nil.
  private var owner: pthread_t?

  /// Creates a coordinator for stores with a data model. It has no stores until `addPersistentStore` opens one.
  public init(_ model: ManagedObjectModel) { managedObjectModel = model }

  /// The open stores, in the order in which they were added. By default, new objects go to the first one.
  public var persistentStores: [PersistentStore] { gate.withLock { openStores } }

  // MARK: - Stores

  /// Opens a store and adds it to the coordinator. If the store does not exist, an empty one is created.
  ///
  /// - Parameter url: The file of the store; nil for a store in memory.
  /// - Throws: ``ObjectGraphError`` if the store cannot be opened. Its file is then unchanged.
  @discardableResult
  public func addPersistentStore(
    _ type: StoreType, at url: URL? = nil, options: StoreOptions = StoreOptions()
  ) throws -> PersistentStore {
    try writing.withLock {
      let engine = try openEngine(type, at: url, options)
      let path = url.map { StoreLocation(url: $0).path }
      // A store that has no file before its first save gets a new identifier each time it is opened.
      let isOpen = persistentStores.contains { store in
        store.origin == engine.identifier || path != nil && path == store.url.map { StoreLocation(url: $0).path }
      }
      guard !isOpen else {
        try engine.close()
        throw ObjectGraphError.store(file: url?.lastPathComponent ?? "", "the store is open already")
      }
      let store = PersistentStore(url: url, type: type, engine: engine)
      gate.withLock { openStores.append(store) }
      return store
    }
  }

  private func openEngine(_ type: StoreType, at url: URL?, _ options: StoreOptions) throws -> any StoreEngine {
    guard type != .inMemory else { return try AtomicStore(at: nil, type, managedObjectModel, options) }
    guard let url else { throw ObjectGraphError.store(file: "\(type)", "a store of this type needs a file") }
    try StoreLocation(url: url).check(mustExist: false)
    guard type == .sqlite else { return try AtomicStore(at: url, type, managedObjectModel, options) }
    return try SQLiteStore(at: url, managedObjectModel, options)
  }

  /// Closes a store after its running requests have ended. Objects and earlier states of the store can no longer be
  /// read.
  ///
  /// - Throws: ``ObjectGraphError`` if the store's file cannot be closed.
  public func remove(_ store: PersistentStore) throws {
    try writing.withLock {
      gate.withLock { openStores.removeAll { $0 === store } }
      try store.engine.close()
      rowCache.forgetAll()
    }
  }

  /// Makes the files of all stores contain all saved changes. In SQLite, this is a checkpoint of the write-ahead log.
  ///
  /// - Throws: ``ObjectGraphError/busy(file:_:)`` if other readers or writers prevent this for
  ///   ``StoreOptions/busyTimeout``. Other errors if a file cannot be written.
  public func settle() throws {
    try writing.withLock { for store in persistentStores { try store.engine.settle() } }
  }

  /// Runs a block while other threads cannot start requests to the stores. The block must not wait for another
  /// context's queue (deadlock).
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    // Locked before `owner` is set. Otherwise a running save that still has to pass the gate would wait for this
    // thread, and vice versa.
    try writing.withLock {
      // Calls may be nested, so that this thread is the owner already.
      let outer = owner
      gate.withLock { owner = pthread_self() }
      defer {
        gate.withLock {
          owner = outer
          gate.broadcast()
        }
      }
      return try body()
    }
  }

  /// Returns the open stores. Waits while another thread runs ``performAndWait(_:)``.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if no store is open.
  @inline(__always)
  func enter() throws -> [PersistentStore] {
    gate.lock()
    while let owner, pthread_equal(owner, pthread_self()) == 0 { gate.wait() }
    let stores = openStores
    gate.unlock()
    try require(!stores.isEmpty, .store(file: "the coordinator", "no store is open; add one"))
    return stores
  }

  /// Returns the object ID of a URI such as `x-coredata://<UUID of the store>/Students/p12`. Nil for another form, an
  /// unknown entity or a store that is not open.
  public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
    let parts = uri.pathComponents.filter { $0 != "/" }
    guard uri.scheme == "x-coredata", let host = uri.host, let uuid = UUID(uuidString: host), parts.count == 2,
      parts[1].first == "p", let key = Int64(parts[1].dropFirst()), key > 0,
      let entity = try? managedObjectModel.entity(parts[0])
    else { return nil }
    let origin = StoreIdentifier(uuid)
    guard persistentStores.contains(where: { $0.origin == origin }) else { return nil }
    return ManagedObjectID(entity: entity, origin: origin, key: key)
  }

  var fileNames: String { persistentStores.map { $0.url?.lastPathComponent ?? "memory" }.joined(separator: ", ") }

  // MARK: - Writing

  func save<Result>(_ body: (SaveTransaction) throws -> Result) throws -> Result {
    try writing.withLock {
      let transaction = SaveTransaction(stores: try enter())
      do {
        let result = try body(transaction)
        try transaction.commit()
        rowCache.didSave()
        return result
      } catch {
        transaction.rollback()
        throw error
      }
    }
  }

  /// Calls `body` in a separate transaction for each of the first `limit` open stores, and returns the sum of the
  /// results. Contexts are not notified.
  ///
  /// - Throws: The first error of a transaction. This transaction is rolled back, and earlier ones stay committed.
  func writePastContexts(limit: Int, _ body: (any StoreEngine) throws -> Int) throws -> Int {
    try writing.withLock {
      let stores = try enter().prefix(limit)
      // The whole cache is emptied, because the rows that a batch request changes are not always known.
      defer { rowCache.forgetAll() }
      return try stores.reduce(0) { sum, store in
        try sum + store.engine.transaction { try body(store.engine) }
      }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Returns the entities of the model saved in a store. Classes, defaults, rules and fetched properties are not
  /// included.
  ///
  /// - Throws: ``ObjectGraphError`` if the file is missing or is not a store of this type.
  public static func entities(ofStoreOf type: StoreType, at url: URL) throws -> [EntityDescription] {
    guard type != .inMemory else {
      throw ObjectGraphError.store(
        file: url.lastPathComponent, "a store in memory has no file to read its model from; give the type of the file")
    }
    try StoreLocation(url: url).check(mustExist: true)
    if type == .sqlite { return try SQLiteStore.model(at: url).entities.map(\.description) }
    var file = AtomicStoreFile(at: url, type)
    guard let contents = try file.load() else {
      throw ObjectGraphError.cannotOpen(file: file.name, "there is no such file")
    }
    return contents.model.entities.map(\.description)
  }
}
