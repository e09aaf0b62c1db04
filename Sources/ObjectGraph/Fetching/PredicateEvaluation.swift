/// A graph of nodes that predicates and sort keys can look at: the objects of a context, the rows of a store.
protocol PredicateSource {
  associatedtype Node

  func id(of node: Node) -> ManagedObjectID
  func value(_ attribute: Attribute, of node: Node) throws -> Value
  /// What a relationship leads to.
  func destinations(_ relationship: Relationship, of node: Node) throws -> [Node]
}

/// The objects of a context, with what has not been saved.
struct ObjectSource: PredicateSource {
  let context: ManagedObjectContext

  func id(of node: ManagedObject) -> ManagedObjectID { node.objectID }

  func value(_ attribute: Attribute, of node: ManagedObject) throws -> Value { try node.value(at: attribute.index) }

  func destinations(_ relationship: Relationship, of node: ManagedObject) throws -> [ManagedObject] {
    relationship.isToMany ? Array(try node.objects(relationship)) : try node.object(relationship).map { [$0] } ?? []
  }
}

/// What stands at the end of a path: a value, or an object.
enum Reached {
  case value(Value)
  case object(ManagedObjectID)

  /// The value, or null for an object.
  var value: Value {
    if case .value(let value) = self { value } else { .null }
  }

  var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }
}

extension ResolvedPath {
  /// What is at the end, once for each object at the end of its relationships; null where a to-one relationship
  /// leads nowhere.
  func values<Source: PredicateSource>(from node: Source.Node, in source: Source) throws -> [Reached] {
    var nodes = [node]
    for step in steps {
      nodes = try nodes.flatMap { try source.destinations(step, of: $0) }
      // A to-one relationship that leads nowhere ends in nothing, a to-many one in no values.
      if nodes.isEmpty { return hasToMany ? [] : [.value(.null)] }
    }
    return try nodes.map { node in
      switch target {
      case .attribute(let attribute): .value(try source.value(attribute, of: node))
      case .object: .object(source.id(of: node))
      }
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
      let operand = try comparison.operand.reached(node, in: source, comparison.path, variables)
      return try comparison.path.values(from: node, in: source).contains { comparison.holds($0, operand) }
    }
  }
}

extension ResolvedOperand {
  /// The values to compare with: one, or several of a list.
  func reached<Source: PredicateSource>(
    _ node: Source.Node, in source: Source, _ path: ResolvedPath, _ variables: [String: Operand]
  ) throws -> [Reached] {
    switch self {
    case .value(let value): [.value(value)]
    case .object(let id): [.object(id)]
    case .list(let parts): try parts.flatMap { try $0.reached(node, in: source, path, variables) }
    case .path(let other): try other.values(from: node, in: source)
    case .variable(let name): try Self.variable(name, for: path, variables)
    }
  }

  /// The values of a variable.
  static func variable(
    _ name: String, for path: ResolvedPath, _ variables: [String: Operand]
  ) throws -> [Reached] {
    func reached(_ operand: Operand) throws -> [Reached] {
      switch operand {
      case .value(let value):
        guard let type = path.type else { return [.value(.null)] }
        return [.value(try PredicateResolver.converted(value, to: type, "$\(name)"))]
      case .object(let id): return [.object(id)]
      case .list(let parts): return try parts.flatMap(reached)
      case .path, .variable:
        throw ObjectGraphError.invalidRequest("$\(name) must be a value, an object or a list of them")
      }
    }
    guard let operand = variables[name] else {
      throw ObjectGraphError.invalidRequest("the request's predicate needs a value for $\(name)")
    }
    return try reached(operand)
  }
}

extension ResolvedComparison {
  /// Whether the comparison holds for a value.
  func holds(_ left: Reached, _ right: [Reached]) -> Bool {
    switch comparison {
    case .equal: return right.first.map { isEqual(left, $0) } ?? false
    case .notEqual: return right.first.map { !isEqual(left, $0) } ?? true
    case .in: return !left.isNull && right.contains { isEqual(left, $0) }
    case .less: return compare(left, right) { $0.precedes($1) }
    case .lessOrEqual: return compare(left, right) { !$1.precedes($0) }
    case .greater: return compare(left, right) { $1.precedes($0) }
    case .greaterOrEqual: return compare(left, right) { !$0.precedes($1) }
    case .between:
      guard right.count == 2 else { return false }
      return compare(left, [right[0]]) { !$0.precedes($1) } && compare(left, [right[1]]) { !$1.precedes($0) }
    case .contains: return texts(left, right) { TextSearch.contains($0, $1) }
    case .beginsWith: return texts(left, right) { $0.utf8.starts(with: $1.utf8) }
    case .endsWith: return texts(left, right) { $0.utf8.reversed().starts(with: $1.utf8.reversed()) }
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

  private func folded(_ value: Value) -> Value {
    if ignoresCase, case .string(let text) = value { return .string(Fold.fold(text)) }
    return value
  }
}

/// Looking for texts in texts, by bytes.
enum TextSearch {
  static func contains(_ text: String, _ part: String) -> Bool {
    let text = Array(text.utf8)
    let part = Array(part.utf8)
    guard !part.isEmpty else { return true }
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }

  /// Whether a whole text is like a pattern: `*` any characters, `?` one, `\` takes the next one as it is.
  static func isLike(_ text: String, _ pattern: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var tokens: [(scalar: Unicode.Scalar, isWild: Bool)] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        tokens.append((scalar, false))
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        tokens.append((scalar, scalar == "*" || scalar == "?"))
      }
    }
    // The last star is the only one to come back to.
    var (place, token) = (0, 0)
    var star: (token: Int, place: Int)?
    while place < text.count {
      if token < tokens.count, tokens[token].isWild, tokens[token].scalar == "*" {
        star = (token, place)
        token += 1
      } else if token < tokens.count,
        tokens[token].isWild ? tokens[token].scalar == "?" : tokens[token].scalar == text[place]
      {
        place += 1
        token += 1
      } else if let back = star {
        star = (back.token, back.place + 1)
        place = back.place + 1
        token = back.token + 1
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { $0.isWild && $0.scalar == "*" }
  }
}
