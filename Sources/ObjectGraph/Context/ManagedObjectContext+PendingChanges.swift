// Fetches that include unsaved changes, so that they find the same objects as after a save.

extension ManagedObjectContext {
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
