extension ManagedObjectContext {
  /// The token of the fixed store state that this context reads. Nil if each request reads the newest state;
  /// ``QueryGenerationToken/current`` if the next request chooses the fixed state.
  public var queryGenerationToken: QueryGenerationToken? {
    checkQueue()
    return generation
  }

  /// Makes this context read one fixed state of its stores. A save, reset or merge selects the newest state. Only
  /// SQLite stores keep earlier states.
  ///
  /// - Parameter token: Another context's token, `current` for the state at the next request, or nil for no fixed
  ///   state.
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a token of another coordinator.
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    checkQueue()
    if let coordinator = token?.coordinator, coordinator !== persistentStoreCoordinator {
      throw ObjectGraphError.invalidRequest("the query generation belongs to the stores of another coordinator")
    }
    generation = token
  }

  /// Returns the token of the fixed store state that this context reads. If the state is not chosen yet, chooses the
  /// newest one. Nil means that no state is fixed.
  @inline(__always)
  func readGeneration() throws -> QueryGenerationToken? {
    // Only the token `current`, for a state that is not chosen yet, has no coordinator.
    guard let generation, generation.coordinator == nil else { return generation }
    // If no store can keep an earlier state, the context reads the newest state, without an error.
    self.generation = try persistentStoreCoordinator.presentGeneration()
    return self.generation
  }

  /// Returns a token for adding the rows of a read to the row cache. Nil if this context reads a fixed state, and
  /// therefore does not use the cache.
  @inline(__always)
  func startReading() throws -> RowCache.Reading? { try readGeneration() == nil ? rowCache.startReading() : nil }

  /// Replaces the fixed state of the stores that this context reads by the newest state, from the next request on.
  func advanceGeneration() {
    if generation != nil { generation = .current }
  }
}
