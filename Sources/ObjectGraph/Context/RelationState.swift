/// The state of one relationship of one object. Objects are named by ID, so that the state does not retain them.
enum RelationState: Equatable {
  /// Not known yet: a to-one relationship has the destination in the row, a to-many relationship is a fault.
  case unloaded
  case one(ManagedObjectID?)
  case many(ToMany)
}

/// The objects of a to-many relationship, and the differences from the store.
struct ToMany: Equatable {
  /// All objects of the relationship. Nil until the store has been read.
  var loaded: Set<ManagedObjectID>?
  /// The objects added since the last save. None of them is in ``removed``.
  private(set) var added: Set<ManagedObjectID> = []
  /// The objects removed since the last save.
  private(set) var removed: Set<ManagedObjectID> = []

  var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

  enum Change {
    case added(ManagedObjectID)
    case removed(ManagedObjectID)
  }

  mutating func apply(_ change: Change) {
    switch change {
    case .added(let id): add(id)
    case .removed(let id): remove(id)
    }
  }

  mutating func add(_ id: ManagedObjectID) {
    if removed.remove(id) == nil { added.insert(id) }
    loaded?.insert(id)
  }

  mutating func remove(_ id: ManagedObjectID) {
    if added.remove(id) == nil { removed.insert(id) }
    loaded?.remove(id)
  }

  /// Merges the stored objects with the unsaved changes. Returns the objects whose addition or removal is obsolete,
  /// because another writer has made it as well.
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

  /// Drops the addition or removal of an object, because it is obsolete.
  mutating func settle(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
  }

  /// Drops the changes, which are now stored. Temporary IDs are replaced; those without a permanent ID are removed.
  mutating func didSave(_ permanent: (ManagedObjectID) -> ManagedObjectID?) {
    // All other objects were saved before.
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

  /// Removes objects that no longer exist.
  mutating func forget(_ ids: Set<ManagedObjectID>) {
    loaded?.subtract(ids)
    added.subtract(ids)
    removed.subtract(ids)
  }

  /// Adds an object again whose removal was not saved.
  mutating func restore(_ id: ManagedObjectID) {
    if removed.remove(id) != nil { loaded?.insert(id) }
  }

  /// Drops the stored objects, so that they are read again. Changes are kept.
  mutating func unload() { loaded = nil }
}
