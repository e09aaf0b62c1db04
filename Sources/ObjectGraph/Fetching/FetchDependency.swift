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

  /// Returns all that a request depends on.
  static func all(of plan: FetchPlan) -> [FetchDependency] {
    var found: [[Int]: FetchDependency] = [:]
    for path in (plan.predicate?.comparisons.map(\.path) ?? []) + plan.order.map(\.path) {
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
}
