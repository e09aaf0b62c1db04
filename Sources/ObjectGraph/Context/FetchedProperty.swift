/// A fetched property, its names resolved: the request, and where the values of its variables come from.
final class FetchedProperty {
  private let request: FetchRequest<ManagedObject>
  /// The variables, and the paths from the object that is asked.
  private let variables: [(name: String, path: ResolvedPath)]

  /// Resolves the names.
  ///
  /// - Throws: ``ObjectGraphError/invalidModel(_:)``, naming the entity and the property.
  init(_ property: FetchedPropertyDescription, of entity: Entity, in model: ManagedObjectModel) throws {
    let name = "\(entity.name).\(property.name)"
    request = FetchRequest(property.destination, where: property.predicate, sortedBy: property.sortKeys)
    do {
      let plan = try request.plan(for: model)
      var variables: [String: ResolvedPath] = [:]
      for comparison in plan.predicate?.comparisons ?? [] {
        for (variable, isList) in comparison.variables {
          let path = try Self.path(variable, from: entity, in: model)
          try Self.check(path, variable, isList: isList, for: comparison)
          variables[variable] = path
        }
      }
      self.variables = variables.map { ($0.key, $0.value) }
    } catch let error as ObjectGraphError {
      throw ObjectGraphError.invalidModel("\(name): \(error)")
    }
  }

  /// What the property of an object holds.
  func objects(of source: ManagedObject, in context: ManagedObjectContext) throws -> [ManagedObject] {
    let graph = ObjectSource(context: context)
    request.variables = try Dictionary(
      uniqueKeysWithValues: variables.map { name, path in
        let operands = try path.values(from: source, in: graph).map { reached in
          switch reached {
          case .value(let value): Operand.value(value)
          case .object(let id): Operand.object(id)
          }
        }
        return (name, path.hasToMany ? .list(operands) : operands[0])
      })
    return try context.fetch(request)
  }

  private static func path(_ variable: String, from entity: Entity, in model: ManagedObjectModel) throws -> ResolvedPath
  {
    let source = FetchedPropertyDescription.source
    guard variable != source else { return ResolvedPath(steps: [], target: .object, entity: entity) }
    guard variable.hasPrefix("\(source).") else {
      throw ObjectGraphError.invalidRequest("$\(variable) has no value; the only variable is $\(source)")
    }
    return try PredicateResolver(model: model).path(String(variable.dropFirst(source.count + 1)), entity)
  }

  private static func check(
    _ path: ResolvedPath, _ variable: String, isList: Bool, for comparison: ResolvedComparison
  ) throws {
    guard path.hasToMany == isList else {
      throw ObjectGraphError.invalidRequest(
        isList
          ? "\(comparison.name) is compared with $\(variable) as a list, which is one value"
          : "$\(variable) leads over a to-many relationship; compare it by IN")
    }
    guard path.type?.kind == comparison.path.type?.kind,
      path.type != nil || path.entity === comparison.path.entity
    else {
      throw ObjectGraphError.invalidRequest(
        "\(comparison.name) and $\(variable) are of different kinds and cannot be compared")
    }
  }
}

extension ResolvedComparison {
  /// The variables that it is compared with, and whether they stand for a list.
  fileprivate var variables: [(name: String, isList: Bool)] {
    switch operand {
    case .variable(let name): [(name, comparison == .in || comparison == .between)]
    case .list(let parts):
      parts.compactMap { part in
        if case .variable(let name) = part { (name, false) } else { nil }
      }
    case .value, .object, .path: []
    }
  }
}
