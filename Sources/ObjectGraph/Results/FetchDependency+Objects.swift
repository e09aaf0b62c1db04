extension FetchDependency {
  /// The values of a related object on which a fetch result depends, such as the name of a student's class.
  struct Aspect {
    fileprivate let values: [Value]
    fileprivate let destinations: [ManagedObjectID?]

    func isSame(as other: Aspect) -> Bool {
      values.elementsEqual(other.values) { $0.isSame(as: $1) } && destinations == other.destinations
    }
  }

  /// Returns the values of a related object on which a fetch result depends. Nil if the result also depends on a
  /// to-many relationship of the object.
  func aspect(of object: ManagedObject) throws -> Aspect? {
    guard !relationships.contains(where: \.isToMany) else { return nil }
    return Aspect(
      values: try attributes.map { try object.value(at: $0.index) },
      destinations: try relationships.map { try object.destination(of: $0) })
  }
}

extension ManagedObjectContext {
  func objects(
    of entity: Entity, leadingAlong path: ResolvedPath, to ids: [ManagedObjectID]
  ) throws -> Set<ManagedObject> {
    var objects: Set<ManagedObject> = []
    for request in FetchPlan.requests(for: entity, leadingAlong: path, to: ids, model) {
      let pending = try pendingObjects(request.plan)
      let judged = Set(pending.map(\.objectID))
      let stored = try persistentStoreCoordinator.fetchIDs(request, in: readGeneration())
      objects.formUnion(try realized(stored.filter { !judged.contains($0) }))
      objects.formUnion(try matching(request, pending))
    }
    return objects
  }
}
