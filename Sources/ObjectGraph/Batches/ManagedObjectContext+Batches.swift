extension ManagedObjectContext {
  /// Inserts objects past this context and every other, in one transaction.
  ///
  /// - Throws: ``ObjectGraphError``; nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    checkQueue()
    let entity = try model.entity(request.entityName)
    let rows = BatchRows(object: BatchObject(entity), rule: mergePolicy.rule(of: request), fill: request.fill)
    let wantsIDs = request.resultType == .objectIDs
    // New objects go to the first store.
    let store = request.affectedStore ?? persistentStoreCoordinator.persistentStores.first
    let outcomes = try persistentStoreCoordinator.writePastContexts(in: store.map { [$0] }) {
      try $0.insert(rows, wantsIDs: wantsIDs)
    }
    return BatchResult(outcomes, request.resultType)
  }

  /// Updates objects past this context and every other, in one transaction for each store.
  ///
  /// - Throws: ``ObjectGraphError``; nothing is updated then in the store that it is about.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    checkQueue()
    let entity = try model.entity(request.entityName)
    let plan = try FetchPlan(entity: entity, predicate: request.predicate, sortKeys: [], model: model)
    guard !request.propertiesToUpdate.isEmpty else {
      throw ObjectGraphError.invalidRequest("the batch update of \(entity.name) sets nothing; give propertiesToUpdate")
    }
    let object = BatchObject(entity)
    for (key, value) in request.propertiesToUpdate { try object.setValue(value, forKey: key) }
    let places = object.given
    let values = BatchValues(places: places, values: places.map { object.values[$0] })
    let wantsIDs = request.resultType == .objectIDs
    let outcomes = try persistentStoreCoordinator.writePastContexts(in: request.affectedStores) {
      try $0.update(plan, request.variables, values, wantsIDs: wantsIDs)
    }
    return BatchResult(outcomes, request.resultType)
  }

  /// Deletes objects past this context and every other, with what their delete rules say, in one transaction for each
  /// store.
  ///
  /// - Throws: ``ObjectGraphError``; nothing is deleted then in the store that it is about.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    checkQueue()
    let wantsIDs = request.resultType == .objectIDs
    let outcomes = try persistentStoreCoordinator.writePastContexts(in: request.affectedStores) { engine in
      let reader = engine.transactionReader
      switch request.found {
      case .request(let plan, let window, let variables):
        let plan = try plan(model)
        guard wantsIDs || BatchDeletion.hasRules(plan.entity) else {
          return [BatchOutcome(count: try engine.delete(plan, window, variables))]
        }
        return [try delete(try reader.keys(plan, window, variables), of: plan.entity, in: engine, wantsIDs)]
      case .objectIDs(let ids):
        let own = ids.map(model.adopted).filter { $0.origin == engine.identifier && model.owns($0.entity) }
        return try Dictionary(grouping: own, by: \.entity.number).sorted { $0.key < $1.key }.map { number, ids in
          let entity = model.entities[number - 1]
          let keys = try reader.rows(Array(Set(ids.map(\.key))), entity).map(\.key)
          return try delete(keys, of: entity, in: engine, wantsIDs)
        }
      }
    }
    return BatchResult(outcomes.flatMap(\.self), request.resultType)
  }

  private func delete(
    _ keys: [Int64], of entity: Entity, in engine: any StoreEngine, _ wantsIDs: Bool
  ) throws -> BatchOutcome {
    let changes = try BatchDeletion(keys, of: entity, in: engine, model).changes
    try engine.write(changes) { $0 }
    guard wantsIDs else { return BatchOutcome(count: keys.count) }
    return BatchOutcome(
      count: keys.count,
      objectIDs: keys.sorted().map { ManagedObjectID(entity: entity, origin: engine.identifier, key: $0) },
      updated: changes.updated.map(\.id), deleted: changes.deleted.map(\.id))
  }

  /// Lets contexts take over what was written past them, each on its own queue: by a batch request, or by another
  /// process. What was changed in a context and not saved is kept, property by property.
  ///
  ///     request.resultType = .objectIDs
  ///     if let changes = try context.execute(request).changes {
  ///       try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context, other])
  ///     }
  ///
  /// - Throws: ``ObjectGraphError`` if a row cannot be read.
  public static func mergeChanges(
    fromRemoteContextSave changes: SaveChanges, into contexts: [ManagedObjectContext]
  ) throws {
    for context in contexts {
      try context.performAndWait { try context.mergeChanges(fromContextDidSave: changes) }
    }
  }
}

extension MergePolicy {
  /// What becomes of an object of a batch insertion whose unique values are there already.
  fileprivate func rule(of request: BatchInsertRequest) -> BatchRows.ConflictRule {
    switch self {
    case .error: .fail
    case .mergeByPropertyStoreTrump, .rollback: .keepStored
    case .mergeByPropertyObjectTrump: request.isPartial ? .replaceGiven : .replaceAll
    case .overwrite: .replaceAll
    }
  }
}
