/// The state of one relationship of one object. The state names other objects by ID, and so does not retain them.
enum RelationState: Equatable {
  /// The state is not known yet. The destination of a to-one relationship is in the row; a to-many relationship must be
  /// read.
  case unloaded
  case one(ManagedObjectID?)
  case many(ToMany)
}

/// A to-many relationship: the objects, and the additions and removals since the last save.
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

  /// Merges stored objects with unsaved changes. Returns the objects whose addition or removal is already stored.
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

  /// Drops the unsaved addition or removal of an object, because another writer has made it as well.
  mutating func settle(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
  }

  /// Drops the additions and removals after a save has stored them. Permanent IDs replace temporary ones; an object
  /// that has no permanent ID is removed.
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

  /// Removes the objects `ids`, which no longer exist, from the relationship and from its unsaved changes.
  mutating func forget(_ ids: Set<ManagedObjectID>) {
    loaded?.subtract(ids)
    added.subtract(ids)
    removed.subtract(ids)
  }

  /// Cancels the unsaved removal of an object.
  mutating func restore(_ id: ManagedObjectID) {
    if removed.remove(id) != nil { loaded?.insert(id) }
  }

  /// Forgets the stored objects, so that they are read again. Additions and removals are kept.
  mutating func unload() { loaded = nil }
}
