extension ManagedObjectContext {
  /// Inserts the objects of a batch request into the coordinator's first store, without notifying contexts.
  ///
  /// - Returns: The number of inserted objects plus the number of updated stored objects.
  /// - Throws: ``ObjectGraphError`` if an object cannot be inserted. The store is then unchanged.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> Int {
    checkQueue()
    let entity = try model.entity(request.entityName)
    let rows = BatchRows(
      object: BatchObject(entity), policy: mergePolicy, isPartial: request.isPartial, fill: request.fill)
    return try persistentStoreCoordinator.writePastContexts(in: { $0.prefix(1) }) { try $0.insert(rows) }
  }

  /// Deletes the stored objects that a batch request finds, and applies delete rules. No context is notified.
  ///
  /// - Returns: The number of objects that the request found, without those deleted by a cascade.
  /// - Throws: ``ObjectGraphError``, such as a denied deletion. The failed store keeps all objects.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> Int {
    checkQueue()
    let plan = try request.plan(model)
    return try persistentStoreCoordinator.writePastContexts(in: { $0[...] }) { engine in
      guard BatchDeletion.hasRules(plan.entity) else {
        return try engine.delete(plan, request.window, request.variables)
      }
      let keys = try engine.transactionReader.keys(plan, request.window, request.variables)
      try engine.write(try BatchDeletion(keys, of: plan.entity, in: engine, model).changes) { $0 }
      return keys.count
    }
  }
}
