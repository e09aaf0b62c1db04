extension ManagedObjectContext {
  /// Inserts objects in one transaction, bypassing all contexts.
  ///
  /// - Returns: The number of new objects.
  /// - Throws: ``ObjectGraphError``; nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> Int {
    checkQueue()
    let entity = try model.entity(request.entityName)
    let rows = BatchRows(object: BatchObject(entity), rule: mergePolicy.rule(of: request), fill: request.fill)
    return try persistentStoreCoordinator.writePastContexts(in: { $0.prefix(1) }) { try $0.insert(rows) }
  }

  /// Deletes objects and applies their delete rules, bypassing all contexts. Each store has one transaction.
  ///
  /// - Returns: The number of objects that the request found.
  /// - Throws: ``ObjectGraphError``. A store whose transaction fails keeps all its objects.
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

extension MergePolicy {
  fileprivate func rule(of request: BatchInsertRequest) -> BatchRows.ConflictRule {
    switch self {
    case .error: .fail
    case .mergeByPropertyStoreTrump, .rollback: .keepStored
    case .mergeByPropertyObjectTrump: request.isPartial ? .replaceGiven : .replaceAll
    case .overwrite: .replaceAll
    }
  }
}
