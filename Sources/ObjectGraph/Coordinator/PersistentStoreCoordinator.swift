import Foundation

/// Opens stores of one model and serves any number of contexts.
///
/// Requests pass the coordinator only briefly, and contexts fetch and fault at the same time if a store has several
/// connections; see ``StoreOptions/connectionPoolSize``. One save is under way at a time.
public final class PersistentStoreCoordinator: @unchecked Sendable {
  // Sendable because what changes is used under the gate, and the stores take care of themselves.

  /// The model of all its stores.
  public let managedObjectModel: ManagedObjectModel
  /// Held by the one who saves, opens or closes a store, or keeps others out.
  private let writing = NSRecursiveLock()
  private let gate = NSCondition()
  private var openStores: [PersistentStore] = []
  /// The rows that contexts have read and saved.
  let rowCache = RowCache()
  /// The thread that keeps others out, and how often it does.
  private var owner: (thread: pthread_t, depth: Int)?

  /// Makes a coordinator without stores.
  public init(_ model: ManagedObjectModel) { managedObjectModel = model }

  /// The stores that are open, in the order in which they were added. New objects go to the first one.
  public var persistentStores: [PersistentStore] { gate.withLock { openStores } }

  // MARK: - Stores

  /// Opens a store, or makes an empty one where there is none.
  ///
  /// - Parameters:
  ///   - type: How the store keeps its objects.
  ///   - url: Its file; nil for a store in memory.
  ///   - options: How it is opened.
  /// - Returns: The store.
  /// - Throws: ``ObjectGraphError``; a file that cannot be opened is left as it is.
  @discardableResult
  public func addPersistentStore(
    _ type: StoreType, at url: URL? = nil, options: StoreOptions = StoreOptions()
  ) throws -> PersistentStore {
    try writing.withLock {
      let engine = try StoreEngines.open(type, at: url, managedObjectModel, options)
      let path = url.map { StoreLocation(url: $0).path }
      // A store that has no file before its first save gets another identifier each time.
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

  /// Closes a store, after waiting for the requests that are under way. Objects of it that are still held become
  /// inaccessible, and contexts that are pinned to a state of it have to be unpinned.
  ///
  /// - Throws: ``ObjectGraphError``.
  public func remove(_ store: PersistentStore) throws {
    try writing.withLock {
      gate.withLock { openStores.removeAll { $0 === store } }
      try store.engine.close()
      // Rows of a store that cannot be accessed must not come from memory.
      rowCache.didSave()
      rowCache.forgetAll()
    }
  }

  /// Does now what stores put off, so that their files hold everything: a checkpoint. It waits for requests that are
  /// reading, and for others' processes, no longer than ``StoreOptions/busyTimeout``.
  ///
  /// - Throws: ``ObjectGraphError/busy(file:_:)`` if it waits in vain, as it does for contexts that are pinned to a query
  ///   generation; others if a file cannot be written.
  public func settle() throws {
    try writing.withLock { for store in persistentStores { try store.engine.settle() } }
  }

  /// Runs the block while no other thread's request gets in (performBlockAndWait). Saves that are under way end first;
  /// requests that are reading go on.
  ///
  /// Fetches in it show one state with respect to this coordinator's contexts, but all others wait. A context that is
  /// pinned to a query generation shows one state without blocking others, see
  /// ``ManagedObjectContext/setQueryGenerationFrom(_:)``. Waiting for another context's queue inside risks a deadlock,
  /// because that context may be waiting for the coordinator.
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    // A save needs the gate now and then: it must not wait for somebody who has closed it and waits for the save.
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

  /// Lets a request in, to the stores that are open.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if there is none.
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

  /// Returns the ID that a URI stands for, or nil if it is of no store that is open or of no entity of the model.
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

  /// The files of all stores, for messages.
  var fileNames: String {
    persistentStores.map { $0.url?.lastPathComponent ?? "memory" }.joined(separator: ", ")
  }

  // MARK: - Writing

  /// Runs the block and makes what it wrote last, or undoes it if it throws.
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

  /// Runs a batch request, which bypasses the contexts, in one transaction of each store.
  ///
  /// - Parameter stores: Chooses among the open stores.
  /// - Returns: The sum of what the block returns.
  /// - Throws: The error of the block, whose store is unchanged then.
  func writePastContexts(
    in stores: ([PersistentStore]) -> ArraySlice<PersistentStore>, _ body: (any StoreEngine) throws -> Int
  ) throws -> Int {
    try writing.withLock {
      let open = try enter()
      // The set of changed rows is not always known, and the old ones must not be shown.
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
  /// Returns the entities of the model that a store was made by, as far as they decide how objects are kept: names,
  /// types, what is optional, relationships, constraints and indexes, renaming identifiers. Classes, defaults, checks
  /// and delete rules are the program's own.
  ///
  /// - Parameters:
  ///   - type: How the store keeps its objects.
  ///   - url: Its file.
  /// - Throws: ``ObjectGraphError``, if there is no store of this type.
  public static func entities(ofStoreOf type: StoreType, at url: URL) throws -> [EntityDescription] {
    try StoreEngines.model(of: type, at: url).entities.map(\.description)
  }
}
