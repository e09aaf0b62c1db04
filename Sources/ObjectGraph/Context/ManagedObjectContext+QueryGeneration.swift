// The state of the stores that a context reads from.

extension ManagedObjectContext {
  /// Which state of the stores a context reads from.
  enum Generation {
    /// Each request shows the newest one.
    case unpinned
    /// The newest one there is at the next request, and from then on that one.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The state of the stores that the context stays on: nil if each request shows the newest one, and
  /// ``QueryGenerationToken/current`` until the first request has chosen it.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Lets the context stay on one state of the stores, whatever others save meanwhile: all fetches and faults show that
  /// one. A save, ``reset()`` and ``mergeChanges(fromContextDidSave:)`` move it on to the newest one.
  ///
  /// Only SQLite stores in WAL mode keep their states; objects of others are read as they are. What is here already stays
  /// as it is: refresh it. A save of what others have changed in the meantime is a conflict, as ever.
  ///
  /// - Parameter token: ``QueryGenerationToken/current`` for the newest state, chosen by the next request; the token of
  ///   another context, to see what that one sees; nil to stay on none, as contexts do to begin with.
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for the token of another coordinator.
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    checkQueue()
    guard let token else {
      generation = .unpinned
      return
    }
    guard token != .current else {
      generation = .next
      return
    }
    guard token.coordinator === persistentStoreCoordinator else {
      throw ObjectGraphError.invalidRequest("the query generation is one of another coordinator's stores")
    }
    generation = .pinned(token)
  }

  /// The state to read from; nil for the newest.
  @inline(__always)
  func readGeneration() throws -> QueryGenerationToken? {
    if case .unpinned = generation { return nil }
    return try pinnedGeneration()
  }

  private func pinnedGeneration() throws -> QueryGenerationToken? {
    if case .pinned(let token) = generation { return token }
    // Without a store that keeps its states the context is quietly unpinned.
    let token = try persistentStoreCoordinator.presentGeneration()
    generation = token.map { .pinned($0) } ?? .unpinned
    return token
  }

  /// What the coordinator's cache has to know of a read that is about to begin; nil in a pinned context, which must see
  /// nothing newer than its state and has nothing to say of the newest one.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? {
    try readGeneration() == nil ? rowCache.startReading() : nil
  }

  /// Lets go of the state that the context is pinned to: the next request chooses a newer one.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
