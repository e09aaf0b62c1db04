/// What a save does in the stores. Each store's part is atomic; across several stores it is not.
final class SaveTransaction {
  private let stores: [PersistentStore]
  private var begun: [PersistentStore] = []

  init(stores: [PersistentStore]) { self.stores = stores }

  /// Permanent IDs for new objects: for each entity and store keys in a row, in the order given.
  func permanentIDs(for new: [ManagedObject], _ assignments: [ManagedObjectID: PersistentStore]) throws
    -> [ManagedObjectID]
  {
    var permanent: [ManagedObjectID] = []
    permanent.reserveCapacity(new.count)
    while permanent.count < new.count {
      let start = permanent.count
      let (entity, store) = (new[start].entity, self.store(of: new[start], assignments))
      guard stores.contains(where: { $0 === store }) else { throw Self.closedStore }
      var end = start
      while end < new.count, new[end].entity === entity,
        assignments.isEmpty || self.store(of: new[end], assignments) === store
      {
        end += 1
      }
      try begin(store)
      let first = try store.engine.allocateKeys(end - start, entity)
      for place in start..<end {
        permanent.append(
          ManagedObjectID(entity: entity, origin: store.origin, key: first + Int64(place - start)))
      }
    }
    return permanent
  }

  private func store(of object: ManagedObject, _ assignments: [ManagedObjectID: PersistentStore]) -> PersistentStore {
    assignments[object.objectID] ?? stores[0]
  }

  /// Writes what a save changes in each store.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if one of them is not open any more, and what stores throw.
  func write(_ changes: [StoreIdentifier: StoreChanges]) throws {
    guard changes.keys.allSatisfy({ origin in stores.contains { $0.origin == origin } }) else {
      throw Self.closedStore
    }
    if begun.isEmpty, changes.count == 1, let store = stores.first(where: { changes[$0.origin] != nil }) {
      return try changes.values.forEach(store.engine.save)
    }
    for store in stores {
      guard let changes = changes[store.origin] else { continue }
      try begin(store)
      try store.engine.write(changes)
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
