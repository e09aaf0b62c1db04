extension ManagedObjectContext {
  /// Returns the objects that a request finds in the stores and among the unsaved changes of this context.
  ///
  /// - Throws: ``ObjectGraphError`` if the request does not fit its entity, or if the store cannot be read.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    checkQueue()
    if !recentChanges.isEmpty || !unpropagatedDeletes.isEmpty { try processPendingChanges() }
    let prepared = try request.prepared(for: model)
    let pending = try pendingObjects(prepared.plan)
    let objects =
      pending.isEmpty
      ? try storedObjects(prepared, asFaults: request.returnsObjectsAsFaults)
      : try fetch(prepared, besides: pending)
    if !request.returnsObjectsAsFaults, !pending.isEmpty {
      for object in objects where object.isFault { try object.fire() }
    }
    for path in request.relationshipKeyPathsForPrefetching { try prefetch(path, of: objects, prepared.entity) }
    // The plan has checked the class, and all arrays of class references have the same layout.
    return unsafeBitCast(objects, to: [Object].self)
  }

  /// Returns the IDs of the objects that a request finds in the stores and among the unsaved changes of this context.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchObjectIDs<Object>(_ request: FetchRequest<Object>) throws -> [ManagedObjectID] {
    let (prepared, pending) = try prepare(request)
    guard pending.isEmpty else { return try fetch(prepared, besides: pending).map(\.objectID) }
    return try persistentStoreCoordinator.fetchIDs(prepared, in: readGeneration())
  }

  /// Returns the number of objects that ``fetch(_:)`` finds, including unsaved ones, up to the request's limit.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
    let (prepared, pending) = try prepare(request)
    guard pending.isEmpty else { return try count(prepared, besides: pending) }
    return try persistentStoreCoordinator.count(prepared, in: readGeneration())
  }

  private func prepare<Object>(
    _ request: FetchRequest<Object>
  ) throws -> (request: StoreRequest, pending: Set<ManagedObject>) {
    checkQueue()
    try processPendingChanges()
    let prepared = try request.prepared(for: model)
    return (prepared, try pendingObjects(prepared.plan))
  }

  /// Returns the objects that a request finds, as a collection that reads ``FetchRequest/fetchBatchSize`` rows at a
  /// time.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchInBatches<Object>(_ request: FetchRequest<Object>) throws -> BatchedObjects<Object> {
    BatchedObjects(ids: try fetchObjectIDs(request), request: request, context: self)
  }

  /// Returns aggregates, such as sums, of the stored objects that a request finds. Unsaved changes are ignored.
  ///
  /// - Parameters:
  ///   - request: The request that selects the objects. Its sort order, limit and offset are ignored.
  ///   - groupKey: The name of the attribute whose values form the groups. Nil puts all objects into one group.
  /// - Returns: One array per group: the group's value (with a `groupKey`), then the aggregates. Groups are sorted by
  ///   value, null first. For no values, a count or sum is 0, and any other aggregate is null.
  /// - Throws: ``ObjectGraphError`` for an unsuitable attribute, several open stores, a failed read, or a sum of
  ///   integers that overflows.
  public func aggregate<Object>(
    _ request: FetchRequest<Object>, _ aggregates: [Aggregate], groupedBy groupKey: String? = nil
  ) throws -> [[Value]] {
    checkQueue()
    let all = StoreRequest(plan: try request.plan(for: model), variables: request.variables)
    let resolved = try aggregates.map { try ResolvedAggregate($0, all.entity) }
    return try persistentStoreCoordinator.aggregate(
      all, resolved, groupedBy: try groupKey.map(all.entity.attribute), in: readGeneration())
  }

  // MARK: - From the store

  func storedObjects(_ request: StoreRequest, asFaults: Bool = true) throws -> [ManagedObject] {
    var objects: [ManagedObject] = []
    // The number of objects already added to the row cache. Adding 64 at a time finds the objects in the processor's
    // cache.
    var entered = 0
    let reading = try startReading()
    try persistentStoreCoordinator.fetch(request, in: readGeneration()) { found in
      let object = object(with: found.id(request.entity), row: found.row, reading)
      if !asFaults { object.flags.remove(.fault) }
      objects.append(object)
      guard objects.count - entered == 64 else { return }
      rowCache.add(objects[entered...], reading)
      entered = objects.count
    }
    rowCache.add(objects[entered...], reading)
    return objects
  }

  /// Returns the object of this context for a row that was just read. The caller must pass the object to
  /// `rowCache.add`.
  ///
  /// - Parameter reading: The token of ``startReading()`` from before the read. If nil, the row is not cached.
  func object(with id: ManagedObjectID, row: Row, _ reading: RowCache.Reading?) -> ManagedObject {
    if let object = registered[id] {
      if let reading { rowCache.put(object, row, reading) }
      // An object whose values the program has read keeps them until it is refreshed.
      if object.isFault {
        object.row = row
      } else if object.isInaccessible {
        // Another writer has inserted the row again.
        turnIntoFault(object, row)
      }
      return object
    }
    let object = id.entity.objectClass.init(.init(objectID: id, context: self, row: row, flags: .fault))
    registered.insert(object)
    return object
  }

  /// Returns the row of an object from the row cache or the store.
  ///
  /// - Returns: Nil if the row is missing and ``shouldDeleteInaccessibleFaults`` is true.
  /// - Throws: ``ObjectGraphError/inaccessible(_:)`` if the row is missing and ``shouldDeleteInaccessibleFaults`` is
  ///   false.
  func storedRow(of object: ManagedObject) throws -> Row? {
    let (id, reading) = (object.objectID, try startReading())
    if reading != nil, let row = rowCache.row(of: object) { return row }
    if let row = try persistentStoreCoordinator.row(for: id, in: readGeneration()) {
      if let reading { rowCache.put(object, row, reading) }
      return row
    }
    guard shouldDeleteInaccessibleFaults else { throw ObjectGraphError.inaccessible(object.objectID) }
    return nil
  }

  // MARK: - With unsaved changes

  /// Returns the objects that a fetch must evaluate in memory, because these or related objects have unsaved changes or
  /// are deleted.
  func pendingObjects(_ plan: FetchPlan) throws -> Set<ManagedObject> {
    let new = newObjects.lazy.filter { $0.isInserted && !$0.isDeleted }
    guard !new.isEmpty || !updatedObjects.isEmpty || !deletedObjects.isEmpty else { return [] }
    var objects = Set(new.filter { $0.entity === plan.entity })
    objects.formUnion(updatedObjects.lazy.filter { $0.entity === plan.entity })
    objects.formUnion(deletedObjects.lazy.filter { $0.entity === plan.entity })
    for dependency in plan.dependencies {
      let changed = dependency.isJudged ? updatedObjects.union(deletedObjects) : deletedObjects
      let ids = changed.map(\.objectID).filter { $0.entity === dependency.path.entity }
      for request in FetchPlan.requests(for: plan.entity, leadingAlong: dependency.path, to: ids, model) {
        objects.formUnion(try realized(try persistentStoreCoordinator.fetchIDs(request, in: readGeneration())))
      }
    }
    return objects
  }

  /// Returns the objects that a request finds. Objects in `pending` are evaluated in memory, all others by the store.
  func fetch(_ request: StoreRequest, besides pending: Set<ManagedObject>) throws -> [ManagedObject] {
    let stored = try storedObjects(request.widened(by: pending.count)).filter { !pending.contains($0) }
    let found = try request.plan.sorted(try matching(request, pending), in: self)
    return Array(request.window.slice(try request.plan.merged(found, into: stored, in: self)))
  }

  func count(_ request: StoreRequest, besides pending: Set<ManagedObject>) throws -> Int {
    let ids = Set(pending.map(\.objectID))
    let stored = try persistentStoreCoordinator.fetchIDs(request.widened(by: pending.count), in: readGeneration())
    let all = stored.count { !ids.contains($0) } + (try matching(request, pending).count)
    return request.window.count(of: all)
  }

  func matching(_ request: StoreRequest, _ objects: Set<ManagedObject>) throws -> [ManagedObject] {
    // Reads objects that were changed only through an inverse relationship: another writer may have deleted them.
    let faults = objects.filter { $0.row == nil && !$0.isInserted }
    if !faults.isEmpty { _ = try realized(faults.map(\.objectID)) }
    let predicate = try request.plan.predicate?.prepared(request.variables)
    return try objects.filter { object in
      guard !object.isDeleted, object.hasValues else { return false }
      return try predicate?.matches(object, in: self) ?? true
    }
  }
}
