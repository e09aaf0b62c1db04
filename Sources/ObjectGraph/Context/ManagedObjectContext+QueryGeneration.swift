extension ManagedObjectContext {
  enum Generation {
    /// Each request of the context reads the newest state of the stores.
    case unpinned
    /// The next request reads the newest state of the stores. Later requests then read the same state.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The token for the state of the stores that this context reads, even after other contexts have saved.
  ///
  /// Nil if each request reads the newest state. ``QueryGenerationToken/current`` if the next request will choose the
  /// state.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Makes this context read one fixed state of the stores, even after other contexts have saved.
  ///
  /// A save, ``reset()`` and ``mergeChanges(fromContextDidSave:)`` move the context to the newest state. Objects in the
  /// context keep their values until they are refreshed. Saving an object that another context has changed since the
  /// fixed state is a conflict.
  ///
  /// Only SQLite stores in WAL mode keep earlier states. Other stores show the newest state.
  ///
  /// - Parameter token: The token of another context, or ``QueryGenerationToken/current`` for the newest state at the
  ///   next request. Nil stands for the newest state at each request.
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a token of another coordinator.
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
      throw ObjectGraphError.invalidRequest("the query generation belongs to the stores of another coordinator")
    }
    generation = .pinned(token)
  }

  /// Returns the token for the fixed state of the stores that this context reads. Saves of other contexts do not change
  /// a fixed state. If the context's next request is to choose the state, this function fixes the newest state first.
  /// Nil if each request reads the newest state.
  @inline(__always)
  func readGeneration() throws -> QueryGenerationToken? {
    if case .unpinned = generation { return nil }
    return try pinnedGeneration()
  }

  private func pinnedGeneration() throws -> QueryGenerationToken? {
    if case .pinned(let token) = generation { return token }
    // If no store can keep an earlier state, the context is unpinned without an error.
    let token = try persistentStoreCoordinator.presentGeneration()
    generation = token.map { .pinned($0) } ?? .unpinned
    return token
  }

  /// Returns a token with which the rows of a read can be added to the row cache. Nil if this context reads a fixed
  /// state of the stores, and therefore does not use the cache.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Moves a context that reads a fixed state of the stores to the newest state at its next request.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
