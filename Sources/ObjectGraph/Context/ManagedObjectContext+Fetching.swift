extension ManagedObjectContext {
  /// Returns the objects that a request finds in the stores and among the unsaved changes of this context.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` or ``ObjectGraphError/unknownKey(_:entity:)`` if the request
  ///   does not fit its entity. Other errors if the store cannot be read.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    checkQueue()
    if !recentChanges.isEmpty || !unpropagatedDeletes.isEmpty { try processPendingChanges() }
    let plan = try request.plan(for: model)
    let pending = try pendingObjects(plan)
    let objects =
      pending.isEmpty
      ? try storedObjects(plan, request.window, request.variables, asFaults: request.returnsObjectsAsFaults)
      : try fetch(plan, request.window, request.variables, besides: pending)
    if !request.returnsObjectsAsFaults, !pending.isEmpty {
      for object in objects where object.isFault { try object.fire() }
    }
    for path in request.relationshipKeyPathsForPrefetching { try prefetch(path, of: objects, plan.entity) }
    // The plan has checked the class, and all arrays of class references have the same layout.
    return unsafeBitCast(objects, to: [Object].self)
  }

  /// Returns the IDs of the objects that ``fetch(_:)`` finds, in the stores and among the unsaved changes.
  ///
  /// Objects are loaded only if unsaved changes can affect the result.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchObjectIDs<Object>(_ request: FetchRequest<Object>) throws -> [ManagedObjectID] {
    checkQueue()
    try processPendingChanges()
    let plan = try request.plan(for: model)
    let pending = try pendingObjects(plan)
    guard pending.isEmpty else {
      return try fetch(plan, request.window, request.variables, besides: pending).map(\.objectID)
    }
    return try persistentStoreCoordinator.fetchIDs(plan, request.window, request.variables, in: readGeneration())
  }

  /// Returns the number of objects that a request finds in the stores and among the unsaved changes of this context.
  /// With a limit of 10, for example, the number is at most 10.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
    checkQueue()
    try processPendingChanges()
    let plan = try request.plan(for: model)
    let pending = try pendingObjects(plan)
    guard pending.isEmpty else { return try count(plan, request.window, request.variables, besides: pending) }
    return try persistentStoreCoordinator.count(plan, request.window, request.variables, in: readGeneration())
  }

  /// Returns the objects that a request finds, as a collection that reads ``FetchRequest/fetchBatchSize`` rows at a
  /// time.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchInBatches<Object>(_ request: FetchRequest<Object>) throws -> BatchedObjects<Object> {
    BatchedObjects(ids: try fetchObjectIDs(request), request: request, context: self)
  }

  /// Returns aggregates, such as sums, of the stored objects that a request finds. Unsaved changes are ignored.
  ///
  /// - Parameters:
  ///   - request: The request that selects the objects. Its sort order, limit and offset are ignored.
  ///   - groupKey: The name of the attribute whose values form the groups. If nil, all objects form one group.
  /// - Returns: One array of aggregates per group. With a `groupKey`, each array begins with the value of its group,
  ///   and the arrays are sorted by this value, with null first. A count or sum of no values is 0; other aggregates are
  ///   then null. An average is always a floating-point number.
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` for an unknown attribute.
  ///   ``ObjectGraphError/invalidRequest(_:)`` for the sum or average of an attribute that is not a number, or if
  ///   several stores are open. Other errors if the store cannot be read, or if a sum of integers overflows.
  public func aggregate<Object>(
    _ request: FetchRequest<Object>, _ aggregates: [Aggregate], groupedBy groupKey: String? = nil
  ) throws -> [[Value]] {
    checkQueue()
    let plan = try request.plan(for: model)
    let resolved = try aggregates.map { try ResolvedAggregate($0, plan.entity) }
    return try persistentStoreCoordinator.aggregate(
      plan, resolved, groupedBy: try groupKey.map(plan.entity.attribute), request.variables, in: readGeneration())
  }

  // MARK: - From the store

  func storedObjects(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], asFaults: Bool = true
  ) throws -> [ManagedObject] {
    var objects: [ManagedObject] = []
    // The number of objects already added to the row cache. Adding 64 at a time finds them in the processor's cache.
    var entered = 0
    let reading = try startReading()
    try persistentStoreCoordinator.fetch(plan, window, variables, in: readGeneration()) { found in
      let object = object(with: found.id(plan.entity), row: found.row, reading)
      if !asFaults { object.flags.remove(.fault) }
      objects.append(object)
      guard objects.count - entered == 64 else { return }
      rowCache.add(objects[entered...], reading)
      entered = objects.count
    }
    rowCache.add(objects[entered...], reading)
    return objects
  }

  /// Returns this context's object for a row that was just read from a store.
  ///
  /// The row is put in the row cache only if the context already had the object. The caller must pass the returned
  /// object to `rowCache.add`, which ignores objects that were already added.
  ///
  /// - Parameter reading: The token that ``startReading()`` returned before the read. The row cache uses the token to
  ///   recognize an outdated row. Nil keeps the row out of the row cache.
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

  func register(_ object: ManagedObject) {
    rowCache.add(object, nil)
    if let row = object.row { rowCache.learn(object, row) }
    registered.insert(object)
  }

  /// Returns the row of an object from the row cache or the store. Nil if the row no longer exists.
  ///
  /// - Throws: ``ObjectGraphError/inaccessible(_:)`` instead of nil if ``shouldDeleteInaccessibleFaults`` is false.
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

  func storedDestinations(of relationship: Relationship, from id: ManagedObjectID) throws -> [ManagedObjectID] {
    let destination = model.destination(of: relationship)
    return try persistentStoreCoordinator.destinations(of: relationship, from: [id], in: destination, readGeneration())
      .map { ManagedObjectID(entity: destination, origin: id.origin, key: $0.destination) }
  }
}
