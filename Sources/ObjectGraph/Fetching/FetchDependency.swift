/// A dependency of a fetch result on related objects, because the predicate or the sort order reads these objects.
struct FetchDependency {
  let path: ResolvedPath
  private(set) var attributes: [Attribute] = []
  private(set) var relationships: [Relationship] = []

  /// Whether the fetch result depends on properties of the related objects. False if it depends only on their
  /// existence.
  var isJudged: Bool { !attributes.isEmpty || !relationships.isEmpty }

  static func all(of plan: FetchPlan) -> [FetchDependency] {
    var found: [[Int]: FetchDependency] = [:]
    for path in (plan.predicate?.comparisons.map(\.path) ?? []) + plan.order.map(\.path) {
      for end in path.steps.indices {
        let steps = Array(path.steps[...end])
        let start = ResolvedPath(steps: steps, entity: plan.model.destination(of: steps[end]))
        let key = steps.map(\.index)
        found[key, default: FetchDependency(path: start)].relationships += path.steps[(end + 1)...].prefix(1)
        if steps.count == path.steps.count, let attribute = path.attribute { found[key]?.attributes.append(attribute) }
      }
    }
    return found.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { found[$0] }
  }
}
