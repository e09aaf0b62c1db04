/// The state of one relationship of one object. Related objects are stored by ID, so that they are not kept in memory.
enum RelationState: Equatable {
  /// The state of a relationship whose related objects have not been loaded yet.
  case unloaded
  case one(ManagedObjectID?)
  case many(ToMany)
}

/// The state of a to-many relationship of one object: the related objects, and the unsaved additions and removals.
struct ToMany: Equatable {
  /// The IDs of all related objects, including unsaved changes. Nil if the relationship was not read from the store.
  var loaded: Set<ManagedObjectID>?
  private(set) var added: Set<ManagedObjectID> = []
  private(set) var removed: Set<ManagedObjectID> = []

  var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

  mutating func add(_ id: ManagedObjectID) {
    if removed.remove(id) == nil { added.insert(id) }
    loaded?.insert(id)
  }

  mutating func remove(_ id: ManagedObjectID) {
    if added.remove(id) == nil { removed.insert(id) }
    loaded?.remove(id)
  }

  /// Sets the related objects to those in the store, then applies the unsaved additions and removals.
  ///
  /// - Returns: The IDs that were dropped from the unsaved changes, because the store already contains the added object
  ///   or lacks the removed one.
  mutating func load(_ stored: some Sequence<ManagedObjectID>) -> Set<ManagedObjectID> {
    let stored = Set(stored)
    guard hasChanges else {
      loaded = stored
      return []
    }
    let settled = added.intersection(stored).union(removed.subtracting(stored))
    added.subtract(settled)
    removed.subtract(settled)
    loaded = stored.subtracting(removed).union(added)
    return settled
  }

  mutating func settle(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
  }

  /// Forgets the unsaved additions and removals of related objects after a save. Temporary IDs become permanent.
  ///
  /// - Parameter permanent: Returns the permanent ID for a temporary ID, or nil if the object was deleted.
  mutating func didSave(_ permanent: (ManagedObjectID) -> ManagedObjectID?) {
    for id in added where id.isTemporary {
      if loaded?.remove(id) != nil, let id = permanent(id) { loaded?.insert(id) }
    }
    added = []
    removed = []
  }

  mutating func revert() {
    loaded = loaded.map { $0.subtracting(added).union(removed) }
    added = []
    removed = []
  }

  mutating func forget(_ ids: Set<ManagedObjectID>) {
    loaded?.subtract(ids)
    added.subtract(ids)
    removed.subtract(ids)
  }

  mutating func restore(_ id: ManagedObjectID) {
    if removed.remove(id) != nil { loaded?.insert(id) }
  }
}
