extension ManagedObjectContext {
  enum Generation {
    /// The setting of a context that reads the newest state of the stores at each request.
    case unpinned
    /// The setting of a context that will read a fixed state of the stores. The next request chooses the newest state.
    case next
    case pinned(QueryGenerationToken)
  }

  /// The token of the store state that this context reads: nil for the newest at each request, `current` if the next
  /// request will fix it.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return switch generation {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Makes this context read one fixed state of its stores. A save, reset or merge selects the newest state. Only
  /// SQLite stores keep earlier states.
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

  /// Returns the token of the fixed store state that this context reads. If the state is not chosen yet, chooses the
  /// newest one. Nil means that no state is fixed.
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

  /// Returns a token for adding the rows of a read to the row cache. Nil if this context reads a fixed state, and
  /// therefore does not use the cache.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Replaces the fixed state of the stores that this context reads by the newest state, from the next request on.
  func advanceGeneration() {
    if case .pinned = generation { generation = .next }
  }
}
