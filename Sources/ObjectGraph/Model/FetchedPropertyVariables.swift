extension ResolvedPredicate {
  /// Returns the variables in the predicate of a fetched property of `entity`, with their paths. The path of
  /// `$FETCH_SOURCE.zipCode` is `zipCode`.
  ///
  /// - Throws: ``ObjectGraphError`` if a variable is unknown, its path is invalid, or its type does not fit the
  ///   comparison.
  func variablePaths(from entity: Entity, in model: ManagedObjectModel) throws -> [String: ResolvedPath] {
    var paths: [String: ResolvedPath] = [:]
    for comparison in comparisons {
      for (variable, isList) in comparison.variables {
        let path = try model.path(ofVariable: variable, entity)
        guard path.hasToMany == isList else {
          throw ObjectGraphError.invalidRequest(
            isList
              ? "\(comparison.name) is compared with a list, but $\(variable) is one value"
              : "$\(variable) crosses a to-many relationship; compare it with 'in'")
        }
        try require(
          path.type?.kind == comparison.path.type?.kind
            && (path.type != nil || path.entity === comparison.path.entity),
          .invalidRequest("\(comparison.name) and $\(variable) are of different kinds and cannot be compared"))
        paths[variable] = path
      }
    }
    return paths
  }
}

extension ManagedObjectModel {
  fileprivate func path(ofVariable variable: String, _ entity: Entity) throws -> ResolvedPath {
    let source = FetchedPropertyDescription.source
    guard variable != source else { return ResolvedPath(steps: [], entity: entity) }
    try require(
      variable.hasPrefix("\(source)."), .invalidRequest("$\(variable) has no value; the only variable is $\(source)"))
    return try path(String(variable.dropFirst(source.count + 1)), entity)
  }
}

extension FetchedPropertyDescription {
  /// Checks the predicate and the sort keys of a fetched property. The only allowed variable is `$FETCH_SOURCE`.
  ///
  /// - Throws: ``ObjectGraphError/invalidModel(_:)``, which names the entity and the property.
  func check(of entity: Entity, in model: ManagedObjectModel) throws {
    do {
      let destination = try model.entity(destination)
      let resolved = try model.resolve(predicate, destination)
      for key in sortKeys { _ = try model.resolve(key, destination) }
      _ = try resolved.variablePaths(from: entity, in: model)
    } catch let error as ObjectGraphError {
      throw ObjectGraphError.invalidModel("\(entity.name).\(name): \(error)")
    }
  }
}

extension ResolvedComparison {
  /// The variables in a comparison. If a variable stands for a whole list, as in IN, its `isList` is true.
  fileprivate var variables: [(name: String, isList: Bool)] {
    switch operand {
    case .variable(let name): [(name, comparison == .in || comparison == .between)]
    case .list(let parts): parts.compactMap { if case .variable(let name) = $0 { (name, false) } else { nil } }
    case .value, .object: []
    }
  }
}
