import Foundation

/// A coordinator through which contexts read and save stores with the same data model. Only one save runs at a time.
public final class PersistentStoreCoordinator: @unchecked Sendable {
  // Sendable because mutable state is used only while `gate` is locked, and the stores synchronize themselves.

  /// The model of all stores of the coordinator.
  public let managedObjectModel: ManagedObjectModel
  /// The lock for saves, for opening and closing stores, and for ``performAndWait(_:)``.
  private let writing = NSRecursiveLock()
  private let gate = NSCondition()
  private var openStores: [PersistentStore] = []
  let rowCache = RowCache()
  /// The thread that now runs ``performAndWait(_:)``, with the depth of nested calls. Nil if no thread runs the method.
  private var owner: (thread: pthread_t, depth: Int)?

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
      let engine = try StoreEngines.open(type, at: url, managedObjectModel, options)
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

  /// Closes a store after its running requests have ended. Objects and earlier states of the store can no longer be
  /// read.
  ///
  /// - Throws: ``ObjectGraphError`` if the store's file cannot be closed.
  public func remove(_ store: PersistentStore) throws {
    try writing.withLock {
      gate.withLock { openStores.removeAll { $0 === store } }
      try store.engine.close()
      rowCache.didSave()
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
    writing.lock()
    gate.withLock { owner = (pthread_self(), (owner?.depth ?? 0) + 1) }
    defer {
      gate.withLock {
        owner = owner.flatMap { $0.depth > 1 ? ($0.thread, $0.depth - 1) : nil }
        gate.broadcast()
      }
      writing.unlock()
    }
    return try body()
  }

  /// Returns the open stores. Waits while another thread runs ``performAndWait(_:)``.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if no store is open.
  @inline(__always)
  func enter() throws -> [PersistentStore] {
    gate.lock()
    while let owner, pthread_equal(owner.thread, pthread_self()) == 0 { gate.wait() }
    let stores = openStores
    gate.unlock()
    guard !stores.isEmpty else {
      throw ObjectGraphError.store(file: "the coordinator", "no store is open; add one")
    }
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

  /// Calls a block for each selected store, in a transaction. Returns the sum of the block's results. Contexts are not
  /// notified.
  ///
  /// - Parameter stores: A function that selects from the open stores.
  /// - Throws: The first error of a transaction. This transaction is rolled back, and earlier ones stay committed.
  func writePastContexts(
    in stores: ([PersistentStore]) -> ArraySlice<PersistentStore>, _ body: (any StoreEngine) throws -> Int
  ) throws -> Int {
    try writing.withLock {
      let open = try enter()
      // The whole cache is emptied, because the rows that a batch request changes are not always known.
      defer {
        rowCache.didSave()
        rowCache.forgetAll()
      }
      return try stores(open).reduce(0) { sum, store in
        try store.engine.begin()
        do {
          let result = try body(store.engine)
          try store.engine.commit()
          return sum + result
        } catch {
          store.engine.rollback()
          throw error
        }
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
    try StoreEngines.model(of: type, at: url).entities.map(\.description)
  }
}
