/// A graph of nodes that predicates and sort keys can look at: the objects of a context, the rows of a store.
protocol PredicateSource {
  associatedtype Node

  func id(of node: Node) -> ManagedObjectID
  func value(_ attribute: Attribute, of node: Node) throws -> Value
  /// What a relationship leads to.
  func destinations(_ relationship: Relationship, of node: Node) throws -> [Node]
}

extension ResolvedPath {
  /// What is at the end, once for each way there. Where a to-one relationship leads nowhere, the way ends in null; a
  /// to-many one from nowhere has no ways.
  func values<Source: PredicateSource>(from node: Source.Node, in source: Source) throws -> [Reached] {
    var nodes: [Source.Node?] = [node]
    for step in steps {
      nodes = try nodes.flatMap { node -> [Source.Node?] in
        let found = try node.map { try source.destinations(step, of: $0) } ?? []
        return found.isEmpty && !step.isToMany ? [nil] : found
      }
    }
    return try nodes.map { try $0.map { try end($0, in: source) } ?? .value(.null) }
  }

  /// What a node at the end of the path is compared by.
  fileprivate func end<Source: PredicateSource>(_ node: Source.Node, in source: Source) throws -> Reached {
    switch target {
    case .attribute(let attribute): .value(try source.value(attribute, of: node))
    case .object: .object(source.id(of: node))
    }
  }
}

extension ResolvedPredicate {
  /// Whether the predicate finds the node.
  func matches<Source: PredicateSource>(
    _ node: Source.Node, in source: Source, _ variables: [String: Operand]
  ) throws -> Bool {
    switch self {
    case .constant(let value): return value
    case .and(let parts): return try parts.allSatisfy { try $0.matches(node, in: source, variables) }
    case .or(let parts): return try parts.contains { try $0.matches(node, in: source, variables) }
    case .not(let part): return try !part.matches(node, in: source, variables)
    case .comparison(let comparison):
      let operand = try comparison.operand.reached(node, in: source, comparison, variables)
      if comparison.path.steps.isEmpty { return comparison.holds(try comparison.path.end(node, in: source), operand) }
      let reached = try comparison.path.values(from: node, in: source)
      return comparison.modifier == .all
        ? reached.allSatisfy { comparison.holds($0, operand) } : reached.contains { comparison.holds($0, operand) }
    }
  }
}

extension ResolvedOperand {
  /// The values to compare with: one, or those of a list.
  func reached<Source: PredicateSource>(
    _ node: Source.Node, in source: Source, _ comparison: ResolvedComparison, _ variables: [String: Operand]
  ) throws -> [Reached] {
    switch self {
    case .value(let value): return [.value(value)]
    case .object(let id): return [.object(id)]
    case .list(let parts):
      return try parts.flatMap { part in
        if case .variable(let name) = part { return [try comparison.oneValue(of: name, variables)] }
        return try part.reached(node, in: source, comparison, variables)
      }
    case .path(let other): return try other.values(from: node, in: source)
    case .variable(let name): return try comparison.values(of: name, variables)
    case .set(let set): return set.values
    }
  }
}

extension ResolvedComparison {
  /// What a variable as the whole operand stands for: the values of a list for IN and BETWEEN, else one.
  func values(of variable: String, _ variables: [String: Operand]) throws -> [Reached] {
    guard comparison == .in || comparison == .between else { return [try oneValue(of: variable, variables)] }
    guard case .list(let parts) = try Self.operand(of: variable, variables) else {
      throw ObjectGraphError.invalidRequest("$\(variable) is compared with \(name) and must be a list")
    }
    guard comparison == .in || parts.count == 2 else {
      throw ObjectGraphError.invalidRequest("$\(variable) holds \(parts.count) values, and BETWEEN takes two")
    }
    return try parts.map { try reached($0, variable) }
  }

  /// The values of a list in which there are no paths.
  func constants(_ list: ResolvedOperand, _ variables: [String: Operand]) throws -> [Reached] {
    switch list {
    case .value(let value): [.value(value)]
    case .object(let id): [.object(id)]
    case .variable(let name): try values(of: name, variables)
    case .list(let parts):
      try parts.flatMap { part in
        if case .variable(let name) = part { return [try oneValue(of: name, variables)] }
        return try constants(part, variables)
      }
    case .set(let set): set.values
    case .path: []
    }
  }

  /// What a variable stands for where there can be one value only.
  func oneValue(of variable: String, _ variables: [String: Operand]) throws -> Reached {
    try reached(try Self.operand(of: variable, variables), variable)
  }

  private static func operand(of variable: String, _ variables: [String: Operand]) throws -> Operand {
    guard let operand = variables[variable] else {
      throw ObjectGraphError.invalidRequest("the request's predicate needs a value for $\(variable)")
    }
    return operand
  }

  private func reached(_ operand: Operand, _ variable: String) throws -> Reached {
    switch operand {
    case .value(let value): return .value(try PredicateResolver.converted(value, for: path, name))
    case .object(let id):
      try PredicateResolver.check(id, for: path, name)
      return .object(id)
    case .list, .path, .variable:
      throw ObjectGraphError.invalidRequest("$\(variable) must be one value or object")
    }
  }

  /// Whether the comparison holds for a value.
  func holds(_ left: Reached, _ right: [Reached]) -> Bool {
    switch comparison {
    case .equal: return right.first.map { isEqual(left, $0) } ?? false
    case .notEqual: return right.first.map { !isEqual(left, $0) } ?? true
    case .in:
      if case .set(let set) = operand { return set.contains(folded(left)) }
      return !left.isNull && right.contains { isEqual(left, $0) }
    case .less: return compare(left, right) { $0.precedes($1) }
    case .lessOrEqual: return compare(left, right) { !$1.precedes($0) }
    case .greater: return compare(left, right) { $1.precedes($0) }
    case .greaterOrEqual: return compare(left, right) { !$0.precedes($1) }
    case .between:
      guard right.count == 2 else { return false }
      return compare(left, [right[0]]) { !$0.precedes($1) } && compare(left, [right[1]]) { !$1.precedes($0) }
    case .contains: return texts(left, right) { TextSearch.contains($0, $1) }
    case .beginsWith: return texts(left, right) { $0.utf8.starts(with: $1.utf8) }
    case .endsWith: return texts(left, right) { TextSearch.ends($0, $1) }
    case .like: return texts(left, right) { TextSearch.isLike($0, $1) }
    }
  }

  private func isEqual(_ left: Reached, _ right: Reached) -> Bool {
    switch (left, right) {
    case (.object(let left), .object(let right)): left == right
    case (.value(let left), .value(let right)): folded(left).isSame(as: folded(right))
    default: false
    }
  }

  private func compare(_ left: Reached, _ right: [Reached], _ holds: (Value, Value) -> Bool) -> Bool {
    guard case .value(let left) = left, case .value(let right)? = right.first, !left.isNull, !right.isNull else {
      return false
    }
    return holds(folded(left), folded(right))
  }

  private func texts(_ left: Reached, _ right: [Reached], _ holds: (String, String) -> Bool) -> Bool {
    guard case .string(let left) = folded(left.value), let right = right.first,
      case .string(let right) = folded(right.value)
    else { return false }
    return holds(left, right)
  }

  /// A value as it is compared.
  func folded(_ value: Value) -> Value { options.folded(value) }

  func folded(_ reached: Reached) -> Reached {
    if case .value(let value) = reached { .value(folded(value)) } else { reached }
  }
}
