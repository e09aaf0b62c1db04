// The state of the stores that a context reads from.

extension ManagedObjectContext {
  /// The state of the stores that a context reads.
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

  /// Pins the context to one state of the stores. All fetches and faults show that state, even if others save. A save,
  /// ``reset()`` and ``mergeChanges(fromContextDidSave:)`` move it to the newest state.
  ///
  /// Only SQLite stores in WAL mode keep their states; other stores show their current state. Objects that are already
  /// in the context do not change: refresh them. Saving an object that others have changed meanwhile is a conflict, as
  /// usual.
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

  /// Returns the state to read from; nil for the newest.
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

  /// Returns the token with which the coordinator's cache follows a read. Nil in a pinned context, which must not see
  /// newer rows or add its own older ones.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? {
    try readGeneration() == nil ? rowCache.startReading() : nil
  }

  /// Releases the state that the context is pinned to. The next request chooses a newer one.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
