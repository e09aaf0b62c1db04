import Foundation

/// A coordinator opens stores that have the same data model. Any number of managed object contexts read and save
/// through it.
///
/// Several contexts can read at the same time if a store has several connections; see
/// ``StoreOptions/connectionPoolSize``. Only one save runs at a time.
public final class PersistentStoreCoordinator: @unchecked Sendable {
  // Sendable because mutable state is used only while `gate` is locked, and the stores synchronize themselves.

  /// The model of all stores of the coordinator.
  public let managedObjectModel: ManagedObjectModel
  /// The lock that a save, the opening or closing of a store, and ``performAndWait(_:)`` hold while they run.
  private let writing = NSRecursiveLock()
  private let gate = NSCondition()
  private var openStores: [PersistentStore] = []
  let rowCache = RowCache()
  /// The thread that runs ``performAndWait(_:)`` while other threads wait, and the depth of its nested calls. Nil if no
  /// thread runs it.
  private var owner: (thread: pthread_t, depth: Int)?

  /// Creates a coordinator for stores with a data model. It has no stores until `addPersistentStore` opens one.
  public init(_ model: ManagedObjectModel) { managedObjectModel = model }

  /// The open stores, in the order in which they were added. New objects go to the first one.
  public var persistentStores: [PersistentStore] { gate.withLock { openStores } }

  // MARK: - Stores

  /// Opens a store and adds it to the coordinator. Creates an empty store if there is none.
  ///
  /// - Parameters:
  ///   - type: The format of the store.
  ///   - url: The file of the store; nil for a store in memory.
  ///   - options: The options for opening the store.
  /// - Returns: The open store.
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

  /// Closes a store after its running requests have ended. Objects of the store become inaccessible. Contexts that are
  /// pinned to an earlier state of the store should be unpinned, because they can no longer read this state.
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

  /// Runs a checkpoint: completes deferred work of the stores, so that their files contain all changes. The call waits
  /// for readers and for other processes, at most ``StoreOptions/busyTimeout``.
  ///
  /// - Throws: ``ObjectGraphError/busy(file:_:)`` if the wait would take longer, for example because a context stays
  ///   pinned to an earlier state of a store. Other errors if a file cannot be written.
  public func settle() throws {
    try writing.withLock { for store in persistentStores { try store.engine.settle() } }
  }

  /// Runs a block while new requests of other threads to the stores wait, like Core Data's performBlockAndWait. Saves
  /// that are running end first; reads that are running continue.
  ///
  /// All fetches in the block see the same state, because other contexts of this coordinator cannot save during the
  /// block. A context that is pinned to a query generation also sees one state, and does not make other threads wait;
  /// see ``ManagedObjectContext/setQueryGenerationFrom(_:)``. A block that waits for another context's queue risks a
  /// deadlock, because that context may be waiting for the coordinator.
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    // Locked before `owner` is set, because a running save may still have to pass the gate. If `owner` were set first,
    // that save would wait for this thread, and this thread for the save.
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

  /// Returns the open stores. Waits first if another thread runs ``performAndWait(_:)``.
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

  /// Returns the object ID that a URI represents. Nil if the URI is not one of an object ID, if its store is not open,
  /// or if the model does not have its entity.
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

  /// Runs a block that performs a batch request, once for each of some stores, each time in a transaction of that
  /// store. Contexts are not notified of the changes.
  ///
  /// - Parameter stores: A function that receives all open stores and returns the stores to be written.
  /// - Returns: The sum of the block's results.
  /// - Throws: The error of the block. The store that failed is then unchanged.
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
  /// Returns the entities of the model with which a store was created. The descriptions include only the details that
  /// determine the store's format: names, types, optional properties, relationships, constraints, indexes and renaming
  /// identifiers. Classes, defaults, validation and delete rules are not included, because the program defines them.
  ///
  /// - Parameters:
  ///   - type: The format of the store.
  ///   - url: The file of the store.
  /// - Throws: ``ObjectGraphError`` if the file is missing or is not a store of this type.
  public static func entities(ofStoreOf type: StoreType, at url: URL) throws -> [EntityDescription] {
    try StoreEngines.model(of: type, at: url).entities.map(\.description)
  }
}
