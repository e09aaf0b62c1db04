// The state of the stores that a context reads from.

extension ManagedObjectContext {
  enum Generation {
    /// Each request of the context reads the newest state of the stores.
    case unpinned
    /// The next request pins the context to the newest state of the stores.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The state of the stores that the context is pinned to. Nil if each request reads the newest state;
  /// ``QueryGenerationToken/current`` if the next request will choose the state.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Pins the context to one state of the stores. All fetches and faults show that state, even if others save. A save,
  /// ``reset()`` and ``mergeChanges(fromContextDidSave:)`` move the context to the newest state.
  ///
  /// Only SQLite stores in WAL mode keep earlier states; others show their current state. Objects that are already in
  /// the context do not change: refresh them. Saving an object that others have changed meanwhile is a conflict.
  ///
  /// - Parameter token: ``QueryGenerationToken/current`` for the newest state, chosen by the next request; the token of
  ///   another context to share its state; nil, the initial value, to always read the newest state.
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

  /// Returns the state of the stores that the context is pinned to, or nil if each request reads the newest state.
  @inline(__always)
  func readGeneration() throws -> QueryGenerationToken? {
    if case .unpinned = generation { return nil }
    return try pinnedGeneration()
  }

  private func pinnedGeneration() throws -> QueryGenerationToken? {
    if case .pinned(let token) = generation { return token }
    // If no store keeps its states, the context is unpinned without an error.
    let token = try persistentStoreCoordinator.presentGeneration()
    generation = token.map { .pinned($0) } ?? .unpinned
    return token
  }

  /// Starts a read whose rows may be shared through the row cache, and returns the token of the read. A pinned context
  /// gets nil, because it must not take newer rows from the cache or add older ones.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Unpins the context from its state of the stores. The next request pins the context to the newest state.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
