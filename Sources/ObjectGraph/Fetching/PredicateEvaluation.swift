/// A source of values for predicates and sort keys: the objects of a context or the rows of a store.
protocol PredicateSource {
  associatedtype Node

  func id(of node: Node) -> ManagedObjectID
  func value(_ attribute: Attribute, of node: Node) throws -> Value
  func destinations(_ relationship: Relationship, of node: Node) throws -> [Node]
}

extension ResolvedPath {
  /// Returns the values at the end of this path, such as the names of a student's courses. Equal values are repeated.
  /// An empty to-one relationship gives null.
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

  fileprivate func end<Source: PredicateSource>(_ node: Source.Node, in source: Source) throws -> Reached {
    if let attribute { .value(try source.value(attribute, of: node)) } else { .object(source.id(of: node)) }
  }
}

extension ResolvedPredicate {
  /// Returns the predicate with each variable replaced by its value in `variables`.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` if a variable has no value or an unsuitable value.
  func prepared(_ variables: [String: Operand]) throws -> ResolvedPredicate {
    switch self {
    case .constant: return self
    case .and(let parts): return .and(try parts.map { try $0.prepared(variables) })
    case .or(let parts): return .or(try parts.map { try $0.prepared(variables) })
    case .not(let part): return .not(try part.prepared(variables))
    case .comparison(var comparison):
      comparison.set = ReachedSet(try comparison.constants(comparison.operand, variables))
      return .comparison(comparison)
    }
  }

  /// Returns whether an object or a row meets the predicate. The predicate must come from ``prepared(_:)``.
  func matches<Source: PredicateSource>(_ node: Source.Node, in source: Source) throws -> Bool {
    switch self {
    case .constant(let value): return value
    case .and(let parts): return try parts.allSatisfy { try $0.matches(node, in: source) }
    case .or(let parts): return try parts.contains { try $0.matches(node, in: source) }
    case .not(let part): return try !part.matches(node, in: source)
    case .comparison(let comparison):
      guard let set = comparison.set else { return false }
      if comparison.path.steps.isEmpty { return comparison.holds(try comparison.path.end(node, in: source), set) }
      return try comparison.path.values(from: node, in: source).contains { comparison.holds($0, set) }
    }
  }
}

extension ResolvedComparison {
  /// Returns the values of a variable in a predicate: any number for the operator IN, two for BETWEEN, and one for all
  /// other operators.
  func values(of variable: String, _ variables: [String: Operand]) throws -> [Reached] {
    guard comparison == .in || comparison == .between else { return [try oneValue(of: variable, variables)] }
    guard case .list(let parts) = try Self.operand(of: variable, variables) else {
      throw ObjectGraphError.invalidRequest(
        "the value of $\(variable) must be a list, because 'in' or 'between' compares it with \(name)")
    }
    guard comparison == .in || parts.count == 2 else {
      throw ObjectGraphError.invalidRequest("$\(variable) holds \(parts.count) values, and 'between' takes two")
    }
    return try parts.map { try reached($0, variable) }
  }

  func constants(_ list: Operand, _ variables: [String: Operand]) throws -> [Reached] {
    switch list {
    case .value(let value): [.value(value)]
    case .object(let id): [.object(id)]
    case .variable(let name): try values(of: name, variables)
    case .list(let parts):
      try parts.flatMap { part in
        if case .variable(let name) = part { return [try oneValue(of: name, variables)] }
        return try constants(part, variables)
      }
    }
  }

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
    case .value(let value): return .value(try path.converted(value, name))
    case .object(let id):
      try path.check(id, name)
      return .object(id)
    case .list, .variable:
      throw ObjectGraphError.invalidRequest("$\(variable) must be one value or object")
    }
  }

  fileprivate func holds(_ left: Reached, _ set: ReachedSet) -> Bool {
    let right = set.values.first
    return switch comparison {
    case .equal: left == right
    case .notEqual: left != right
    case .in: set.contains(left)
    case .less: Self.compare(left, right) { $0.precedes($1) }
    case .lessOrEqual: Self.compare(left, right) { !$1.precedes($0) }
    case .greater: Self.compare(left, right) { $1.precedes($0) }
    case .greaterOrEqual: Self.compare(left, right) { !$0.precedes($1) }
    case .between:
      Self.compare(left, right) { !$0.precedes($1) } && Self.compare(left, set.values.last) { !$1.precedes($0) }
    case .contains: Self.texts(left, right, Self.contains)
    case .beginsWith: Self.texts(left, right) { $0.utf8.starts(with: $1.utf8) }
    }
  }

  private static func compare(_ left: Reached, _ right: Reached?, _ holds: (Value, Value) -> Bool) -> Bool {
    guard case .value(let left) = left, case .value(let right)? = right else { return false }
    return !left.isNull && !right.isNull && holds(left, right)
  }

  private static func texts(_ left: Reached, _ right: Reached?, _ holds: (String, String) -> Bool) -> Bool {
    guard case .string(let left) = left.value, case .string(let right)? = right?.value else { return false }
    return holds(left, right)
  }

  // Much faster than `contains` of the standard library, which prepares a search for each text.
  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
