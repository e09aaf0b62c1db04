// Fetches that see what has not been saved: they find what they would find after a save.

extension ManagedObjectContext {
  /// Returns the objects of which the store cannot say whether and where a request finds them: those that were changed
  /// here, and those that it judges by others that were changed here. Deleted ones are among them.
  func pendingObjects(_ plan: FetchPlan) throws -> Set<ManagedObject> {
    let new = newObjects.lazy.filter { $0.isInserted && !$0.isDeleted }
    guard !new.isEmpty || !updatedObjects.isEmpty || !deletedObjects.isEmpty else { return [] }
    var objects = Set(new.filter { $0.entity === plan.entity })
    objects.formUnion(updatedObjects.lazy.filter { $0.entity === plan.entity })
    objects.formUnion(deletedObjects.lazy.filter { $0.entity === plan.entity })
    for dependency in plan.dependencies {
      let changed = dependency.isJudged ? updatedObjects.union(deletedObjects) : deletedObjects
      let ids = changed.map(\.objectID).filter { $0.entity === dependency.path.entity }
      // A way that is new begins with an object that was changed itself; the store knows all others.
      for roots in FetchPlan.plans(for: plan.entity, leadingAlong: dependency.path, to: ids, model) {
        objects.formUnion(try realized(try persistentStoreCoordinator.fetchIDs(roots, .all, [:], in: readGeneration())))
      }
    }
    return objects
  }

  /// Returns the store's answer without these objects, which are looked at one by one.
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], besides pending: Set<ManagedObject>
  ) throws -> [ManagedObject] {
    let stored = try storedObjects(plan, window.widened(by: pending.count), variables).filter { !pending.contains($0) }
    let source = ObjectSource(context: self)
    let found = try plan.sorted(try matching(plan, variables, pending), in: source)
    return Array(window.slice(try plan.merged(found, into: stored, in: source)))
  }

  /// Returns the number of objects that a request finds.
  func count(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], besides pending: Set<ManagedObject>
  ) throws -> Int {
    let ids = Set(pending.map(\.objectID))
    let stored = try persistentStoreCoordinator.fetchIDs(
      plan, window.widened(by: pending.count), variables, in: readGeneration())
    let all = stored.count { !ids.contains($0) } + (try matching(plan, variables, pending).count)
    return window.count(of: all)
  }

  /// Those of some objects that a request finds.
  func matching(
    _ plan: FetchPlan, _ variables: [String: Operand], _ objects: Set<ManagedObject>
  ) throws -> [ManagedObject] {
    let source = ObjectSource(context: self)
    // Somebody may have deleted those of which nothing but a relationship was changed, from its other end.
    let faults = objects.filter { $0.row == nil && !$0.isInserted }
    if !faults.isEmpty { _ = try realized(faults.map(\.objectID)) }
    let predicate = try plan.predicate?.prepared(variables)
    return try objects.filter { object in
      guard !object.isDeleted, object.hasValues else { return false }
      return try predicate?.matches(object, in: source) ?? true
    }
  }
}
