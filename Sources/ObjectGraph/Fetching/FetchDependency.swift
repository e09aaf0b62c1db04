/// Other objects that decide whether and where a request finds an object, and what about them.
struct FetchDependency {
  /// The path that leads to them.
  let path: ResolvedPath
  /// Their attributes that are looked at.
  private(set) var attributes: [Attribute] = []
  /// Their relationships that are followed.
  private(set) var relationships: [Relationship] = []

  /// Whether anything about them matters, or only whether there are any.
  var isJudged: Bool { !attributes.isEmpty || !relationships.isEmpty }

  /// All that a request depends on.
  static func all(of plan: FetchPlan) -> [FetchDependency] {
    var found: [[Int]: FetchDependency] = [:]
    for path in (plan.predicate?.comparisons.flatMap(\.paths) ?? []) + plan.order.map(\.path) {
      for end in path.steps.indices {
        let steps = Array(path.steps[...end])
        let start = ResolvedPath(
          steps: steps, target: .object, entity: plan.model.destination(of: steps[end]))
        var dependency = found[steps.map(\.index)] ?? FetchDependency(path: start)
        if end < path.steps.count - 1 {
          dependency.relationships.append(path.steps[end + 1])
        } else if case .attribute(let attribute) = path.target {
          dependency.attributes.append(attribute)
        }
        found[steps.map(\.index)] = dependency
      }
    }
    return found.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { found[$0] }
  }

  /// What is looked at of an object: as long as it is the same, nothing changes for those that depend on it.
  struct Aspect {
    private let values: [Value]
    private let destinations: [ManagedObjectID?]

    fileprivate init(_ values: [Value], _ destinations: [ManagedObjectID?]) {
      self.values = values
      self.destinations = destinations
    }

    func isSame(as other: Aspect) -> Bool {
      values.elementsEqual(other.values) { $0.isSame(as: $1) } && destinations == other.destinations
    }
  }

  /// What is looked at of an object, or nil if that cannot be told in short: a to-many relationship.
  func aspect(of object: ManagedObject) throws -> Aspect? {
    guard !relationships.contains(where: \.isToMany) else { return nil }
    return Aspect(
      try attributes.map { try object.value(at: $0.index) }, try relationships.map { try object.destination(of: $0) })
  }
}

extension ManagedObjectContext {
  /// The objects of an entity from which a path leads to one of some others, by what is here and not saved, too.
  func objects(
    of entity: Entity, leadingAlong path: ResolvedPath, to ids: [ManagedObjectID]
  ) throws -> Set<ManagedObject> {
    var objects: Set<ManagedObject> = []
    for plan in FetchPlan.plans(for: entity, leadingAlong: path, to: ids, model) {
      let pending = try pendingObjects(plan)
      let judged = Set(pending.map(\.objectID))
      let stored = try persistentStoreCoordinator.fetchIDs(plan, .all, [:]).filter { !judged.contains($0) }
      objects.formUnion(try realized(stored))
      objects.formUnion(try matching(plan, [:], pending))
    }
    return objects
  }
}
