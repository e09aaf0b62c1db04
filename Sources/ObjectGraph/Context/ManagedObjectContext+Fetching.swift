extension ManagedObjectContext {
  /// The objects that a request finds, those changed here and not saved included.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)``, ``ObjectGraphError/unknownKey(_:entity:)`` for a request that
  ///   makes no sense for its entity; others if the store cannot be read.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    checkQueue()
    if !recent.isEmpty || !unpropagated.isEmpty { try processPendingChanges() }
    let plan = try request.plan(for: model)
    let objects =
      request.includesPendingChanges && hasPendingChanges(of: plan.entity)
      ? try fetchWithPendingChanges(plan, request.window, request.variables)
      : try storedObjects(plan, request.window, request.variables)
    if !request.returnsObjectsAsFaults {
      for object in objects where object.isFault { try object.fire() }
    }
    for path in request.relationshipKeyPathsForPrefetching { try prefetch(path, of: objects, plan.entity) }
    // The plan has checked the class.
    return objects.map { unsafeDowncast($0, to: Object.self) }
  }

  /// The IDs of the objects that a request finds.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchObjectIDs<Object>(_ request: FetchRequest<Object>) throws -> [ManagedObjectID] {
    checkQueue()
    try processPendingChanges()
    let plan = try request.plan(for: model)
    if request.includesPendingChanges, hasPendingChanges(of: plan.entity) {
      return try fetchWithPendingChanges(plan, request.window, request.variables).map(\.objectID)
    }
    return try persistentStoreCoordinator.fetchIDs(plan, request.window, request.variables)
  }

  /// The number of objects that a request finds.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
    checkQueue()
    try processPendingChanges()
    let plan = try request.plan(for: model)
    if request.includesPendingChanges, hasPendingChanges(of: plan.entity) {
      return try fetchWithPendingChanges(plan, request.window, request.variables).count
    }
    return try persistentStoreCoordinator.count(plan, request.window, request.variables)
  }

  /// The objects that a request finds, their rows read ``FetchRequest/fetchBatchSize`` at a time as the collection is
  /// walked.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchInBatches<Object>(_ request: FetchRequest<Object>) throws -> BatchedObjects<Object> {
    BatchedObjects(ids: try fetchObjectIDs(request), batchSize: request.fetchBatchSize, context: self)
  }

  // MARK: - From the store

  private func storedObjects(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [ManagedObject] {
    try persistentStoreCoordinator.fetch(plan, window, variables).map { object(with: $0.id, row: $0.row) }
  }

  /// The object of an ID whose row has been read.
  func object(with id: ManagedObjectID, row: Row) -> ManagedObject {
    if let object = registered[id] {
      // Values that somebody has looked at stay as they are until a refresh.
      if object.isFault {
        object.row = row
      } else if object.isGone {
        // Somebody has inserted it again.
        turnIntoFault(object, row)
      }
      return object
    }
    let object = id.entity.objectClass.init(
      .init(entity: id.entity, objectID: id, context: self, row: row, flags: .fault))
    registered[id] = object
    return object
  }

  /// The row of a fault, or nil where it is gone and the policy is to go on without.
  func storedRow(of object: ManagedObject) throws -> Row? {
    if let row = try persistentStoreCoordinator.row(for: object.objectID) { return row }
    guard shouldDeleteInaccessibleFaults else { throw ObjectGraphError.inaccessible(object.objectID) }
    return nil
  }

  /// What the store holds in a to-many relationship.
  func storedDestinations(
    of relationship: Relationship, from id: ManagedObjectID
  ) throws -> [ManagedObjectID] {
    let destination = model.destination(of: relationship)
    return try persistentStoreCoordinator.destinations(of: relationship, from: [id], in: destination)
      .map { ManagedObjectID(entity: destination, origin: id.origin, key: $0.destination) }
  }

  // MARK: - With what has not been saved

  private func hasPendingChanges(of entity: Entity) -> Bool {
    insertedObjects.contains { $0.entity === entity } || updatedObjects.contains { $0.entity === entity }
      || deletedObjects.contains { $0.entity === entity }
  }

  /// The store's answer without the objects that were changed here, which are looked at one by one.
  private func fetchWithPendingChanges(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [ManagedObject] {
    var objects = try storedObjects(plan, .all, variables).filter { !$0.hasChanges }
    let source = ObjectSource(context: self)
    for object in insertedObjects.union(updatedObjects) where object.entity === plan.entity && !object.isDeleted {
      if try plan.predicate?.matches(object, in: source, variables) ?? true { objects.append(object) }
    }
    objects = try plan.sorted(objects, in: source)
    return Array(window.slice(objects))
  }

  // MARK: - Prefetching

  /// Reads, in one go for each step of the path, what the objects' relationships lead to.
  func prefetch(_ path: String, of objects: [ManagedObject], _ entity: Entity) throws {
    var objects = objects
    var entity = entity
    for name in path.split(separator: ".") {
      let relationship = try entity.relationship(String(name))
      objects =
        relationship.isToMany
        ? try prefetchMany(relationship, of: objects) : try prefetchOne(relationship, of: objects)
      entity = model.destination(of: relationship)
    }
  }

  private func prefetchOne(_ relationship: Relationship, of objects: [ManagedObject]) throws -> [ManagedObject] {
    var ids: [ManagedObjectID: [ManagedObject]] = [:]
    for object in objects {
      if let id = try object.destination(of: relationship) { ids[id, default: []].append(object) }
    }
    let destinations = try realized(Array(ids.keys))
    for destination in destinations {
      for object in ids[destination.objectID] ?? [] { object.held[relationship.index] = [destination] }
    }
    return destinations
  }

  private func prefetchMany(_ relationship: Relationship, of objects: [ManagedObject]) throws -> [ManagedObject] {
    let destination = model.destination(of: relationship)
    let faults = objects.filter { !$0.isInserted && $0.toMany(relationship).loaded == nil }
    let pairs = try persistentStoreCoordinator.destinations(
      of: relationship, from: faults.map(\.objectID), in: destination)
    var found: [Int64: [ManagedObjectID]] = [:]
    for pair in pairs {
      guard let origin = faults.first?.objectID.origin else { break }
      found[pair.source, default: []].append(
        ManagedObjectID(entity: destination, origin: origin, key: pair.destination))
    }
    for object in faults {
      var many = object.toMany(relationship)
      many.load(found[object.objectID.key] ?? [])
      object.setRelation(relationship, .many(many))
    }
    var all: Set<ManagedObjectID> = []
    for object in objects { all.formUnion(try object.destinations(of: relationship)) }
    let destinations = try realized(Array(all))
    let byID = Dictionary(uniqueKeysWithValues: destinations.map { ($0.objectID, $0) })
    for object in objects {
      object.held[relationship.index] = try object.destinations(of: relationship).compactMap { byID[$0] }
    }
    return destinations
  }

  /// The objects of the IDs with their rows, read in one go where they are not here.
  func realized(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
    let ids = ids.sorted(by: ManagedObjectID.isOrdered)
    var objects: [ManagedObjectID: ManagedObject] = [:]
    var missing: [ManagedObjectID] = []
    for id in ids {
      if let object = registered[id], object.row != nil || object.isInserted {
        objects[id] = object
      } else {
        missing.append(id)
      }
    }
    for found in try persistentStoreCoordinator.rows(for: missing) {
      objects[found.id] = object(with: found.id, row: found.row)
    }
    return ids.compactMap { objects[$0] }
  }
}

/// What a fetch found, in order, read in batches as it is walked: at any time the objects of one batch are held here,
/// the others only if somebody else holds them.
public final class BatchedObjects<Object: ManagedObject>: RandomAccessCollection {
  private let ids: [ManagedObjectID]
  private let batchSize: Int
  private let context: ManagedObjectContext
  private var batch: [Object] = []
  private var batchNumber = -1

  init(ids: [ManagedObjectID], batchSize: Int, context: ManagedObjectContext) {
    self.ids = ids
    self.batchSize = batchSize > 0 ? batchSize : Swift.max(ids.count, 1)
    self.context = context
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ids.count }

  /// The object at a place. If its batch cannot be read, it is a fault, and the error is thrown by the context's next
  /// save.
  public subscript(position: Int) -> Object {
    let number = position / batchSize
    if number != batchNumber {
      let range = number * batchSize..<Swift.min((number + 1) * batchSize, ids.count)
      // The former batch goes first, so that only one is in memory.
      batch = []
      do {
        let objects = try context.realized(Array(ids[range]))
        withExtendedLifetime(objects) { batch = ids[range].map { typed(context.object(with: $0)) } }
      } catch {
        context.keep(error)
        batch = ids[range].map { typed(context.object(with: $0)) }
      }
      batchNumber = number
    }
    return batch[position - batchNumber * batchSize]
  }

  private func typed(_ object: ManagedObject) -> Object { unsafeDowncast(object, to: Object.self) }
}
