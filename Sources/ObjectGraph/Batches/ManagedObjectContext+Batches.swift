extension ManagedObjectContext {
  /// Inserts the objects of a batch request into the coordinator's first store. No context is notified.
  ///
  /// - Returns: The number of inserted objects plus the number of updated stored objects.
  /// - Throws: ``ObjectGraphError`` if an object cannot be inserted, or an error of the request's block. The store is
  ///   then unchanged.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> Int {
    checkQueue()
    let rows = BatchObject(try model.entity(request.entityName), mergePolicy, isPartial: request.isPartial)
    return try persistentStoreCoordinator.writePastContexts(limit: 1) { try $0.insert(rows, request.fill) }
  }

  /// Deletes the stored objects that a batch request finds, and applies delete rules. No context is notified.
  ///
  /// - Returns: The number of objects that the request found. Other objects deleted by a cascade are not counted.
  /// - Throws: ``ObjectGraphError/validation(_:)`` if a delete rule denies a deletion or a required relationship would
  ///   become empty. Other errors if a store fails. Each store deletes all objects or none.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> Int {
    checkQueue()
    let found = StoreRequest(plan: try request.plan(model), window: request.window, variables: request.variables)
    return try persistentStoreCoordinator.writePastContexts(limit: .max) { engine in
      guard BatchDeletion.hasRules(found.entity) else { return try engine.delete(found) }
      let keys = try engine.transactionReader.keys(found)
      try engine.write(try BatchDeletion(keys, of: found.entity, in: engine, model).changes) { $0 }
      return keys.count
    }
  }
}
