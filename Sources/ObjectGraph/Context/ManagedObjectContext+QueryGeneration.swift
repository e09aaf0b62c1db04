extension ManagedObjectContext {
  enum Generation {
    /// Each request of the context reads the newest state of the stores.
    case unpinned
    /// The next request reads the newest state of the stores. Later requests then read the same state.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The token for the state of the stores that this context reads. Nil if each request reads the newest state,
  /// `current` before a state is chosen.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Makes this context read one fixed state of its SQLite stores. A save, reset or merge selects the newest state.
  ///
  /// - Parameter token: Another context's token, `current` for the state at the next request, or nil for no fixed
  ///   state.
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

  /// Returns the token for the fixed state that this context reads, and chooses the newest state if the choice is
  /// pending. Nil without a fixed state.
  @inline(__always)
  func readGeneration() throws -> QueryGenerationToken? {
    if case .unpinned = generation { return nil }
    return try pinnedGeneration()
  }

  private func pinnedGeneration() throws -> QueryGenerationToken? {
    if case .pinned(let token) = generation { return token }
    // If no store can keep an earlier state, the context reads the newest state, without an error.
    let token = try persistentStoreCoordinator.presentGeneration()
    generation = token.map { .pinned($0) } ?? .unpinned
    return token
  }

  /// Returns a token for adding the rows of a read to the row cache. Nil if this context reads a fixed state and does
  /// not use the cache.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Moves a context that reads a fixed state of the stores to the newest state at its next request.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
