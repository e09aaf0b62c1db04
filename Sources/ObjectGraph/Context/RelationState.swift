/// The state of one relationship of one object in a context. It names objects by their IDs, so that it does not keep
/// them in memory.
enum RelationState: Equatable {
  /// Nothing yet: a to-one relationship is as the row says, a to-many one is a fault.
  case unloaded
  /// A to-one relationship that was set.
  case one(ManagedObjectID?)
  case many(ToMany)
}

/// A to-many relationship: what is in it, and how that differs from the store.
struct ToMany: Equatable {
  /// All of it, or nil as long as the store has not been asked.
  var loaded: Set<ManagedObjectID>?
  /// The objects added since the last save. None of them is in ``removed``.
  private(set) var added: Set<ManagedObjectID> = []
  /// The objects removed since the last save.
  private(set) var removed: Set<ManagedObjectID> = []

  var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

  /// One change of it.
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

  /// Adds what is known not to be in it.
  mutating func add(_ id: ManagedObjectID) {
    if removed.remove(id) == nil { added.insert(id) }
    loaded?.insert(id)
  }

  /// Removes what is known to be in it.
  mutating func remove(_ id: ManagedObjectID) {
    if added.remove(id) == nil { removed.insert(id) }
    loaded?.remove(id)
  }

  /// Takes what the store holds into account.
  ///
  /// - Returns: What is no change any more, because somebody else has added or removed it, too.
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

  /// Learns that the addition or removal of an object is no change any more.
  mutating func settle(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
  }

  /// Forgets the changes, which are in the store now. Temporary IDs are replaced, those without a permanent one taken
  /// out.
  mutating func didSave(_ permanent: (ManagedObjectID) -> ManagedObjectID?) {
    // Everything else that is in it was saved before.
    for id in added where id.isTemporary {
      if loaded?.remove(id) != nil, let id = permanent(id) { loaded?.insert(id) }
    }
    added = []
    removed = []
  }

  /// Takes the changes back.
  mutating func revert() {
    loaded = loaded.map { $0.subtracting(added).union(removed) }
    added = []
    removed = []
  }

  /// Lets objects be forgotten that do not exist any more.
  mutating func forget(_ ids: Set<ManagedObjectID>) {
    loaded?.subtract(ids)
    added.subtract(ids)
    removed.subtract(ids)
  }

  /// Lets an object be in it again that was removed.
  mutating func restore(_ id: ManagedObjectID) {
    if removed.remove(id) != nil { loaded?.insert(id) }
  }

  /// Asks the store again next time, and keeps the changes.
  mutating func unload() { loaded = nil }
}
