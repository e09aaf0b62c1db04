/// The results of a fetch request, updated at each change of the context.
final class TrackedResults {
  var list: ResultsList
  private let context: ManagedObjectContext
  private let request: FetchRequest<ManagedObject>
  private let plan: FetchPlan
  private let predicate: ResolvedPredicate?
  private let dependencies: [FetchDependency]
  /// For each element of ``dependencies``, the last known values of the related objects, by object ID.
  private var aspects: [[ManagedObjectID: Aspect]] = []

  /// The values of a related object on which the results depend, such as the name of a student's class.
  private typealias Aspect = [Reached]

  init<Object>(_ source: FetchRequest<Object>, in context: ManagedObjectContext, sectionNameKeyPath: String?) throws {
    let entity = try source.plan(for: context.model).entity
    request = FetchRequest(
      entity.name, where: source.predicate, sortedBy: source.sortKeys, limit: source.fetchLimit,
      offset: source.fetchOffset)
    request.variables = source.variables
    let orderPaths = source.sortKeys.compactMap { key in
      key.path.lastIndex(of: ".").map { String(key.path[..<$0]) }
    }
    request.relationshipKeyPathsForPrefetching = orderPaths + source.relationshipKeyPathsForPrefetching
    plan = try request.plan(for: context.model)
    predicate = try plan.predicate?.prepared(source.variables)
    guard let first = source.sortKeys.first else {
      throw ObjectGraphError.invalidRequest("results of \(entity.name) need an order: give the request a sort key")
    }
    if let sectionNameKeyPath {
      let path = try context.model.path(sectionNameKeyPath, entity)
      try require(
        path.type != nil && !path.hasToMany,
        .invalidRequest("'\(sectionNameKeyPath)' of \(entity.name) cannot make sections: it is not one attribute"))
      guard first.path == sectionNameKeyPath else {
        throw ObjectGraphError.invalidRequest(
          """
          the sections of \(entity.name) by '\(sectionNameKeyPath)' would be out of order: the first sort key, \
          '\(first.path)', must be the same
          """)
      }
    }
    self.context = context
    dependencies = request.window.isAll ? plan.dependencies : []
    list = ResultsList([], plan, isSectioned: sectionNameKeyPath != nil)
    list = ResultsList(try fetch(), plan, isSectioned: sectionNameKeyPath != nil)
  }

  private func fetch() throws -> [ResultsList.Entry] {
    aspects = Array(repeating: [:], count: dependencies.count)
    return try context.fetch(request).map {
      ResultsList.Entry(object: $0, position: try plan.position(of: $0, in: context))
    }
  }

  func name(of section: ResultsList.Section) -> String {
    guard list.isSectioned, let type = plan.order[0].path.type, let value = type.object(section.key) else { return "" }
    // Adding 0 changes -0 to 0, so that a section with -0 and 0 always has the same name.
    if let number = value as? Double { return "\(number + 0)" }
    return "\(value)"
  }

  // MARK: - Changes

  /// Returns the effects of changed objects on the results, such as an object that enters, leaves or moves.
  ///
  /// - Parameter fetchingAnew: Whether to run the fetch request again. Required after missed changes or an error.
  /// - Throws: ``ObjectGraphError`` if a store cannot be read.
  func alterations(by changes: ObjectChanges, fetchingAnew: Bool) throws -> [ResultsList.Alteration] {
    let changed = Set(changes.all.filter { $0.entity === plan.entity })
    let alterations: [ResultsList.Alteration]
    // With a limit or an offset, each change of the context fetches the results again.
    if !request.window.isAll || fetchingAnew {
      let found = try fetch().map {
        ResultsList.Alteration(object: $0.object, position: $0.position, isChanged: changed.contains($0.object))
      }
      let present = Set(found.map(\.object))
      let gone = list.positions.keys.filter { !present.contains($0) }
      alterations = found + gone.map { ResultsList.Alteration(object: $0, position: nil, isChanged: true) }
    } else {
      let dependents = try dependents(on: changes).subtracting(changed)
      let objects = Array(changed) + Array(dependents)
      try realize(objects)
      alterations =
        try objects.map {
          ResultsList.Alteration(object: $0, position: try position(of: $0), isChanged: changed.contains($0))
        } + renamed(changes.saved, besides: changed.union(dependents))
    }
    return alterations.filter(list.isEffective)
  }

  private func realize(_ objects: [ManagedObject]) throws {
    let faults = objects.filter { $0.managedObjectContext === context && $0.row == nil && !$0.isInserted }
    if !faults.isEmpty { _ = try context.realized(faults.map(\.objectID)) }
  }

  private func isThere(_ object: ManagedObject) -> Bool {
    object.managedObjectContext === context && !object.isDeleted && object.hasValues
  }

  private func position(of object: ManagedObject) throws -> FetchPlan.Position? {
    guard isThere(object), try predicate?.matches(object, in: context) ?? true else { return nil }
    return try plan.position(of: object, in: context)
  }

  /// Returns the new positions of objects that have received a permanent ID in a save. Objects with equal sort values
  /// are sorted by ID.
  ///
  /// - Parameter others: Objects to skip, because the caller handles these objects itself.
  private func renamed(_ objects: [ManagedObject], besides others: Set<ManagedObject>) -> [ResultsList.Alteration] {
    objects.compactMap { object in
      guard !others.contains(object), let old = list.positions[object] else { return nil }
      let position = FetchPlan.Position(values: old.values, id: object.objectID)
      return ResultsList.Alteration(object: object, position: position, isChanged: false)
    }
  }

  private func dependents(on changes: ObjectChanges) throws -> Set<ManagedObject> {
    var dependents: Set<ManagedObject> = []
    for (index, dependency) in dependencies.enumerated() {
      // New related objects are left out: an object that refers to a new object was itself changed.
      let others = Set(
        (changes.updated + changes.refreshed + changes.deleted + changes.invalidated)
          .filter { $0.entity === dependency.path.entity })
      try realize(Array(others))
      var ids: [ManagedObjectID] = []
      for object in others {
        let id = object.objectID
        let aspect = isThere(object) ? try aspect(of: object, dependency) : nil
        if let aspect, aspect == aspects[index][id] { continue }
        aspects[index][id] = aspect
        ids.append(id)
      }
      for request in FetchPlan.requests(for: plan.entity, leadingAlong: dependency.path, to: ids, context.model) {
        let pending = try context.pendingObjects(request.plan)
        let judged = Set(pending.map(\.objectID))
        let stored = try context.persistentStoreCoordinator.fetchIDs(request, in: context.readGeneration())
        dependents.formUnion(try context.realized(stored.filter { !judged.contains($0) }))
        dependents.formUnion(try context.matching(request, pending))
      }
    }
    return dependents
  }

  /// Returns the values of a related object on which the results depend. Nil if the results also depend on a to-many
  /// relationship of the object.
  private func aspect(of object: ManagedObject, _ dependency: FetchDependency) throws -> Aspect? {
    guard !dependency.relationships.contains(where: \.isToMany) else { return nil }
    return try dependency.attributes.map { .value(try object.value(at: $0.index)) }
      + dependency.relationships.map { try object.destination(of: $0).map(Reached.object) ?? .value(.null) }
  }
}
