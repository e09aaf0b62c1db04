import Foundation

/// Opens stores of one model and serves any number of contexts, one at a time.
public final class PersistentStoreCoordinator: @unchecked Sendable {
  // Sendable because everything that changes is used under the lock.

  /// The model of all its stores.
  public let managedObjectModel: ManagedObjectModel
  private let lock = NSRecursiveLock()
  private var openStores: [PersistentStore] = []

  /// Makes a coordinator without stores.
  public init(_ model: ManagedObjectModel) { managedObjectModel = model }

  /// The stores that are open, in the order in which they were added. New objects go to the first one.
  public var persistentStores: [PersistentStore] { lock.withLock { openStores } }

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
    try lock.withLock {
      let engine = try StoreEngines.open(type, at: url, managedObjectModel, options)
      let path = url.map { StoreLocation(url: $0).path }
      // A store that has no file before its first save gets another identifier each time.
      let isOpen = openStores.contains { store in
        store.origin == engine.identifier || path != nil && path == store.url.map { StoreLocation(url: $0).path }
      }
      guard !isOpen else {
        try engine.close()
        throw ObjectGraphError.store(file: url?.lastPathComponent ?? "", "the store is open already")
      }
      let store = PersistentStore(url: url, type: type, engine: engine)
      openStores.append(store)
      return store
    }
  }

  /// Closes a store. Objects of it that are still held become inaccessible.
  ///
  /// - Throws: ``ObjectGraphError``.
  public func remove(_ store: PersistentStore) throws {
    try lock.withLock {
      openStores.removeAll { $0 === store }
      try store.engine.close()
    }
  }

  /// Does now what stores put off, so that their files hold everything: a checkpoint.
  ///
  /// - Throws: ``ObjectGraphError``.
  public func settle() throws {
    try lock.withLock { for store in openStores { try store.engine.settle() } }
  }

  /// Runs the block while no other thread can use the coordinator: fetches in it show one state of the stores, since
  /// nobody can save in between (performBlockAndWait).
  ///
  /// To wait for another context's queue inside is to ask for a deadlock: that context may be waiting to get in.
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

  /// The ID that a URI stands for, or nil if it is of no store that is open or of no entity of the model.
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

  // MARK: - Reading

  /// Hands over the rows that a request finds, in its order, under the lock.
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws {
    try lock.withLock {
      let stores = try storesToRead()
      if stores.count == 1 { return try stores[0].engine.fetch(plan, window, variables, body) }
      guard plan.order.allSatisfy(\.path.steps.isEmpty) else {
        throw ObjectGraphError.invalidRequest("a fetch over several stores cannot be sorted by a path")
      }
      var rows: [FetchedRow] = []
      for store in stores { try store.engine.fetch(plan, .all, variables) { rows.append($0) } }
      window.slice(try plan.sorted(rows, in: FetchedRowSource(entity: plan.entity))).forEach(body)
    }
  }

  func fetchIDs(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [ManagedObjectID] {
    try lock.withLock {
      let stores = try storesToRead()
      guard stores.count == 1 else { return try idsOfSeveral(plan, window, variables) }
      let origin = stores[0].origin
      return try stores[0].engine.keys(plan, window, variables).map {
        ManagedObjectID(entity: plan.entity, origin: origin, key: $0)
      }
    }
  }

  private func idsOfSeveral(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [ManagedObjectID] {
    var ids: [ManagedObjectID] = []
    try fetch(plan, window, variables) { ids.append($0.id(plan.entity)) }
    return ids
  }

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int {
    try lock.withLock {
      let stores = try storesToRead()
      if stores.count == 1 { return try stores[0].engine.count(plan, window, variables) }
      return window.count(of: try stores.reduce(0) { try $0 + $1.engine.count(plan, .all, variables) })
    }
  }

  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]] {
    try lock.withLock {
      let stores = try storesToRead()
      guard stores.count == 1 else {
        throw ObjectGraphError.invalidRequest("aggregates work on one store, and \(stores.count) are open")
      }
      return try stores[0].engine.aggregate(plan, aggregates, groupedBy: groupedBy, variables)
    }
  }

  /// The row of an ID, or nil if there is none.
  func row(for id: ManagedObjectID) throws -> Row? {
    try lock.withLock {
      guard !id.isTemporary, managedObjectModel.owns(id.entity), let store = store(of: id.origin) else { return nil }
      return try store.engine.row(id.key, id.entity)
    }
  }

  func rows(for ids: [ManagedObjectID]) throws -> [(id: ManagedObjectID, row: Row)] {
    try lock.withLock {
      var found: [(id: ManagedObjectID, row: Row)] = []
      for (place, ids) in Dictionary(grouping: ids, by: { Place(origin: $0.origin, entity: $0.entity.number) })
        .sorted(by: { $0.key.entity < $1.key.entity })
      {
        guard let first = ids.first, managedObjectModel.owns(first.entity), let store = store(of: place.origin) else {
          continue
        }
        found += try store.engine.rows(ids.map(\.key), first.entity).map { ($0.id(first.entity), $0.row) }
      }
      return found
    }
  }

  private struct Place: Hashable {
    let origin: StoreIdentifier
    let entity: Int
  }

  /// The pairs of a to-many relationship that start at one of the objects, which are of one store.
  func destinations(
    of relationship: Relationship, from ids: [ManagedObjectID], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)] {
    try lock.withLock {
      guard let first = ids.first, let store = store(of: first.origin) else { return [] }
      return try store.engine.destinations(relationship, of: ids.map(\.key), in: entity)
    }
  }

  private func store(of origin: StoreIdentifier) -> PersistentStore? {
    openStores.first { $0.origin == origin }
  }

  private func storesToRead() throws -> [PersistentStore] {
    guard !openStores.isEmpty else {
      throw ObjectGraphError.store(file: "the coordinator", "no store is open; add one")
    }
    return openStores
  }

  // MARK: - Writing

  /// Runs the block and makes what it wrote last, or undoes it if it throws.
  func save<Result>(_ body: (SaveTransaction) throws -> Result) throws -> Result {
    try lock.withLock {
      let transaction = SaveTransaction(stores: try storesToRead())
      do {
        let result = try body(transaction)
        try transaction.commit()
        return result
      } catch {
        transaction.rollback()
        throw error
      }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Reads what a store says about itself; any other use of it may go on.
  ///
  /// - Parameters:
  ///   - type: How the store keeps its objects.
  ///   - url: Its file.
  /// - Throws: ``ObjectGraphError``, if there is no store of this type.
  public static func metadata(forStoreOf type: StoreType, at url: URL) throws -> PersistentStoreMetadata {
    try StoreEngines.metadata(type, at: url)
  }
}

/// Rows of several stores, to be sorted by their attributes.
private struct FetchedRowSource: PredicateSource {
  let entity: Entity

  func id(of node: FetchedRow) -> ManagedObjectID { node.id(entity) }
  func value(_ attribute: Attribute, of node: FetchedRow) -> Value { node.row.values[attribute.index] }
  func destinations(_ relationship: Relationship, of node: FetchedRow) -> [FetchedRow] { [] }
}
