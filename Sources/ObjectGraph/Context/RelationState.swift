/// The state of one relationship of one object. It names related objects by ID, so that it does not retain them.
enum RelationState: Equatable {
  /// A state that is not loaded. The destination of a to-one relationship is in the object's row; a to-many
  /// relationship must be read from the store.
  case unloaded
  case one(ManagedObjectID?)
  case many(ToMany)
}

/// The state of a to-many relationship: its objects, and the additions and removals since the last save.
struct ToMany: Equatable {
  /// All objects of the relationship, with unsaved changes. Nil until the store has been read.
  var loaded: Set<ManagedObjectID>?
  private(set) var added: Set<ManagedObjectID> = []
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

  /// Sets the stored objects of the relationship to `stored`, and applies the unsaved additions and removals to them.
  /// Drops each addition of an object that `stored` contains, and each removal of an object that `stored` lacks.
  /// Returns the objects of the dropped changes.
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

  /// Drops the additions and removals, because a save has written them. In the loaded set, replaces each temporary ID
  /// by the permanent ID, or removes the temporary ID if its object has no permanent one.
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

  mutating func unload() { loaded = nil }
}
