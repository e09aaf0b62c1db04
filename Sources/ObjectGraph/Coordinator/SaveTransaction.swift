/// The transaction in which a save writes to one or more stores. Each store commits separately.
final class SaveTransaction {
  private let stores: [PersistentStore]
  private var begun: [PersistentStore] = []

  init(stores: [PersistentStore]) { self.stores = stores }

  /// The consecutive primary keys that a save gives to its new objects of one entity in one store.
  struct Keys {
    let entity: Entity
    let origin: StoreIdentifier
    let first: Int64
    let indices: Range<Int>
  }

  var firstStore: PersistentStore { stores[0] }

  /// Allocates consecutive primary keys for new objects of one entity.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if the store is no longer open. Errors of the store.
  func allocateKeys(_ entity: Entity, in store: PersistentStore, for indices: Range<Int>) throws -> Keys {
    guard stores.contains(where: { $0 === store }) else { throw Self.closedStore }
    try begin(store)
    let first = try store.engine.allocateKeys(indices.count, entity)
    return Keys(entity: entity, origin: store.origin, first: first, indices: indices)
  }

  /// Commits the allocation of primary keys before the new objects are written. Applies only to SQLite stores with
  /// ``StoreOptions/Keys/separate``.
  func commitKeys() throws {
    for store in begun where store.engine.takesKeysSeparately {
      try store.engine.commit()
      begun.removeAll { $0 === store }
    }
  }

  /// Writes the changes of a save to the stores.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if a store is no longer open. Errors of the stores.
  func write(_ request: SaveRequest, _ presentID: PresentID) throws {
    let parts = stores.compactMap { store in
      request.parts.first { $0.origin == store.origin }.map { (store: store, changes: $0.changes) }
    }
    guard parts.count == request.parts.count else { throw Self.closedStore }
    if begun.isEmpty, parts.count == 1 { return try parts[0].store.engine.save(parts[0].changes, presentID) }
    for (store, changes) in parts {
      try begin(store)
      try store.engine.write(changes, presentID)
    }
  }

  func commit() throws {
    while let store = begun.first {
      try store.engine.commit()
      begun.removeFirst()
    }
  }

  func rollback() {
    for store in begun { store.engine.rollback() }
    begun = []
  }

  private static var closedStore: ObjectGraphError {
    .store(file: "the coordinator", "the store of a changed object is not open any more; add it again or roll back")
  }

  private func begin(_ store: PersistentStore) throws {
    guard !begun.contains(where: { $0 === store }) else { return }
    try store.engine.begin()
    begun.append(store)
  }
}

/// The changes of a save, grouped by store.
struct SaveRequest {
  private(set) var parts: [(origin: StoreIdentifier, changes: StoreChanges)] = []

  subscript(origin: StoreIdentifier) -> StoreChanges {
    get { parts.first { $0.origin == origin }?.changes ?? StoreChanges() }
    _modify {
      var index = parts.firstIndex { $0.origin == origin } ?? -1
      if index < 0 {
        parts.append((origin, StoreChanges()))
        index = parts.count - 1
      }
      yield &parts[index].changes
    }
  }
}
