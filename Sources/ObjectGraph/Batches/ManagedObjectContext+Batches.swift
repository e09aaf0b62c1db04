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
    return try persistentStoreCoordinator.performAndWait {
      let store = try request.affectedStore ?? affectedStores(nil)[0]
      let outcomes = try transaction(in: try affectedStores([store])) { try $0.insert(rows, wantsIDs: wantsIDs) }
      return BatchResult(outcomes, request.resultType)
    }
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
    return try persistentStoreCoordinator.performAndWait {
      let outcomes = try transaction(in: try affectedStores(request.affectedStores)) {
        try $0.update(plan, request.variables, values, wantsIDs: wantsIDs)
      }
      return BatchResult(outcomes, request.resultType)
    }
  }

  /// Deletes objects past this context and every other, with what their delete rules say, in one transaction for each
  /// store.
  ///
  /// - Throws: ``ObjectGraphError``; nothing is deleted then in the store that it is about.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    checkQueue()
    let wantsIDs = request.resultType == .objectIDs
    return try persistentStoreCoordinator.performAndWait {
      let stores = try affectedStores(request.affectedStores)
      let outcomes = try transaction(in: stores) { engine in
        switch request.found {
        case .request(let plan, let window, let variables):
          let plan = try plan(model)
          guard wantsIDs || BatchDeletion.hasRules(plan.entity) else {
            return [BatchOutcome(count: try engine.delete(plan, window, variables))]
          }
          return [try delete(try engine.keys(plan, window, variables), of: plan.entity, in: engine, wantsIDs)]
        case .objectIDs(let ids):
          let own = ids.map(model.adopted).filter { $0.origin == engine.identifier && model.owns($0.entity) }
          return try Dictionary(grouping: own, by: \.entity.number).sorted { $0.key < $1.key }.map { number, ids in
            let entity = model.entities[number - 1]
            let keys = try engine.rows(Array(Set(ids.map(\.key))), entity).map(\.key)
            return try delete(keys, of: entity, in: engine, wantsIDs)
          }
        }
      }
      return BatchResult(outcomes.flatMap(\.self), request.resultType)
    }
  }

  private func delete(
    _ keys: [Int64], of entity: Entity, in engine: any StoreEngine, _ wantsIDs: Bool
  ) throws -> BatchOutcome {
    let changes = try BatchDeletion(keys, of: entity, in: engine, model).changes
    try engine.write(changes)
    guard wantsIDs else { return BatchOutcome(count: keys.count) }
    return BatchOutcome(
      count: keys.count,
      objectIDs: keys.sorted().map { ManagedObjectID(entity: entity, origin: engine.identifier, key: $0) },
      updated: changes.updated.map(\.id), deleted: changes.deleted.map(\.id))
  }

  /// The stores that a request is about.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if one of them is not open, or none is.
  private func affectedStores(_ asked: [PersistentStore]?) throws -> [PersistentStore] {
    let open = persistentStoreCoordinator.persistentStores
    guard let asked else {
      guard !open.isEmpty else {
        throw ObjectGraphError.store(file: "the coordinator", "no store is open; add one")
      }
      return open
    }
    guard asked.allSatisfy({ store in open.contains { $0 === store } }) else {
      throw ObjectGraphError.store(
        file: "the coordinator", "a store of the batch request is not open; add it again or ask for another")
    }
    return asked
  }

  /// Does something in one transaction of each store.
  private func transaction<Result>(
    in stores: [PersistentStore], _ body: (any StoreEngine) throws -> Result
  ) throws -> [Result] {
    try stores.map { store in
      try store.engine.begin()
      do {
        let result = try body(store.engine)
        try store.engine.commit()
        return result
      } catch {
        store.engine.rollback()
        throw error
      }
    }
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
