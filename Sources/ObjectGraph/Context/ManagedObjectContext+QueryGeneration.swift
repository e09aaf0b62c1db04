extension ManagedObjectContext {
  enum Generation {
    /// Each request of the context reads the newest state of the stores.
    case unpinned
    /// The next request pins the context to the newest state of the stores: later reads show the same state.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The state of the stores that the context is pinned to, so that all its reads show this state. Nil if each request
  /// reads the newest state; ``QueryGenerationToken/current`` if the next request will pin the newest state.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Pins the context to one state of the stores. All fetches and later reads of objects show that state, even after
  /// other contexts have saved. A save, ``reset()`` and ``mergeChanges(fromContextDidSave:)`` move the context to the
  /// newest state.
  ///
  /// Only SQLite stores in WAL mode keep earlier states; stores of other types show their current state. Objects that
  /// are already in the context keep their values until they are refreshed. Saving an object that others have changed
  /// meanwhile is a conflict.
  ///
  /// - Parameter token: ``QueryGenerationToken/current`` for the newest state, chosen by the next request; the token of
  ///   another context to share its state; nil, the initial value, to always read the newest state.
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` if the token is from a context of another coordinator.
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

  /// Returns the state of the stores to which this context's reads are pinned, or nil for the newest state. If the next
  /// request is to pin the context, pins it to the newest state first.
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

  /// Starts a read and returns its token. The caller needs the token to add the rows that it reads to the row cache,
  /// which other contexts use. Returns nil for a pinned context, which must not take newer rows from the cache or add
  /// older ones.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Makes a context that is pinned to an earlier state of the stores move to the newest state at its next request.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
