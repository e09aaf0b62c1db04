/// A predicate in which the names of properties are replaced by the attributes and relationships of a data model.
indirect enum ResolvedPredicate {
  case constant(Bool)
  case comparison(ResolvedComparison)
  case and([ResolvedPredicate])
  case or([ResolvedPredicate])
  case not(ResolvedPredicate)

  var comparisons: [ResolvedComparison] {
    switch self {
    case .constant: []
    case .comparison(let comparison): [comparison]
    case .and(let parts), .or(let parts): parts.flatMap(\.comparisons)
    case .not(let part): part.comparisons
    }
  }
}

/// A comparison such as `studentId == 7`, with the name resolved in a data model and the value converted to the
/// property's type.
struct ResolvedComparison {
  var path: ResolvedPath
  var comparison: ComparisonOperator
  var operand: Operand
  var name: String
  /// The values on the right-hand side of the comparison, in hash sets for fast search. Nil before
  /// ``ResolvedPredicate/prepared(_:)``.
  var set: ReachedSet?
}

struct ResolvedPath {
  var steps: [Relationship]
  /// The attribute at the end of the path, or nil if the path leads to an object.
  var attribute: Attribute?
  var entity: Entity

  var hasToMany: Bool { steps.contains(where: \.isToMany) }

  var type: AttributeType? { attribute?.type }
}

struct ResolvedSortKey {
  var path: ResolvedPath
  var ascending: Bool
}

extension AttributeType {
  /// A group of attribute types whose values can be compared with each other, such as all types of numbers.
  enum Kind: String {
    case number, date, text, bytes, uuid
  }

  var kind: Kind {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float: .number
    case .date: .date
    case .string, .uri: .text
    case .binary: .bytes
    case .uuid: .uuid
    }
  }

  func compared(_ value: Value) -> Value? {
    switch (kind, value) {
    case (.number, .integer(let number)) where self == .double || self == .float: .double(Double(number))
    // Bounds beyond the range of the type are allowed: 40,000 is greater than every integer16.
    case (.number, .integer): value
    case (.number, .double(let number)), (.date, .double(let number)): number.isNaN ? .null : value
    // A text compared with a URI need not be a complete URL.
    case (.text, .string): value
    default: converted(value)
    }
  }
}

extension ManagedObjectModel {
  /// The maximum depth of a nested predicate. Deeper nesting could overflow the call stack.
  private static let greatestDepth = 400

  func resolve(_ predicate: FetchPredicate, _ entity: Entity, depth: Int = 0) throws -> ResolvedPredicate {
    try require(
      depth <= Self.greatestDepth,
      .invalidRequest("the predicate for \(entity.name) is nested deeper than \(Self.greatestDepth)"))
    return switch predicate {
    case .constant(let value): .constant(value)
    case .and(let parts): .and(try parts.map { try resolve($0, entity, depth: depth + 1) })
    case .or(let parts): .or(try parts.map { try resolve($0, entity, depth: depth + 1) })
    case .not(let part): .not(try resolve(part, entity, depth: depth + 1))
    case .comparison(let comparison): .comparison(try resolve(comparison, entity))
    }
  }

  func resolve(_ key: SortKey, _ entity: Entity) throws -> ResolvedSortKey {
    let path = try path(key.path, entity)
    guard !path.hasToMany, path.attribute != nil else {
      throw ObjectGraphError.invalidRequest("cannot sort \(entity.name) by '\(key.path)': it is not one attribute")
    }
    try path.checkIsInside("'\(key.path)' of \(entity.name)")
    return ResolvedSortKey(path: path, ascending: key.ascending)
  }

  private func resolve(_ comparison: ComparisonPredicate, _ entity: Entity) throws -> ResolvedComparison {
    let name = "'\(comparison.path)' of \(entity.name)"
    let path = try path(comparison.path, entity)
    guard path.hasToMany == (comparison.modifier != .direct) else {
      throw ObjectGraphError.invalidRequest(
        path.hasToMany
          ? "\(name) crosses a to-many relationship; use Property.any"
          : "\(name) crosses no to-many relationship; use Property without 'any'")
    }
    switch comparison.comparison {
    case .contains, .beginsWith:
      try require(path.type?.kind == .text, .invalidRequest("\(name) is not text and cannot be searched for text"))
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
      try require(
        path.type != nil, .invalidRequest("\(name) is an object, which is neither less nor greater than another"))
    case .equal, .notEqual, .in: break
    }
    let isAboutNil = comparison.comparison == .equal || comparison.comparison == .notEqual
    if case .value(.null) = comparison.operand, isAboutNil {} else { try path.checkIsInside(name) }
    return ResolvedComparison(
      path: path, comparison: comparison.comparison,
      operand: try operand(comparison.operand, of: comparison.comparison, for: path, name), name: name)
  }

  private func operand(
    _ operand: Operand, of comparison: ComparisonOperator, for path: ResolvedPath, _ name: String
  ) throws -> Operand {
    if case .variable = operand { return operand }
    guard comparison == .in || comparison == .between else { return try value(operand, for: path, name) }
    guard case .list(let parts) = operand else {
      throw ObjectGraphError.invalidRequest("\(name): 'in' and 'between' take a list")
    }
    try require(
      comparison == .in || parts.count == 2,
      .invalidRequest("\(name): 'between' takes two values, not \(parts.count)"))
    return .list(try parts.map { try value($0, for: path, name) })
  }

  private func value(_ operand: Operand, for path: ResolvedPath, _ name: String) throws -> Operand {
    switch operand {
    case .variable: break
    case .list: throw ObjectGraphError.invalidRequest("\(name) is compared with several values where there can be one")
    case .object(let id): try path.check(id, name)
    case .value(let value): return .value(try path.converted(value, name))
    }
    return operand
  }

  func path(_ path: String, _ entity: Entity) throws -> ResolvedPath {
    var entity = entity
    var steps: [Relationship] = []
    guard path != "SELF" else { return ResolvedPath(steps: [], entity: entity) }
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, name) in names.enumerated() {
      switch entity.properties[name] {
      case .attribute(let position) where index == names.count - 1:
        return ResolvedPath(steps: steps, attribute: entity.attributes[position], entity: entity)
      case .relationship(let position):
        let relationship = entity.relationships[position]
        steps.append(relationship)
        entity = destination(of: relationship)
      default: throw entity.unknown(name)
      }
    }
    return ResolvedPath(steps: steps, entity: entity)
  }
}

// The checks of a path named `name` in a request, and of the values with which it is compared.
extension ResolvedPath {
  /// Throws an error if a property may be stored in separate files, which comparisons and sort keys cannot read.
  fileprivate func checkIsInside(_ name: String) throws {
    guard attribute?.isExternal == true else { return }
    throw ObjectGraphError.invalidRequest(
      "\(name) may be stored in a separate file, so it can only be compared with nil and cannot be a sort key")
  }

  func check(_ id: ManagedObjectID, _ name: String) throws {
    guard type == nil, id.entity === entity else {
      let kind = type == nil ? "an object of \(entity.name)" : "an attribute"
      throw ObjectGraphError.invalidRequest(
        "\(name) is \(kind) and cannot be compared with an object of \(id.entity.name)")
    }
  }

  func converted(_ value: Value, _ name: String) throws -> Value {
    guard let type else {
      try require(value.isNull, .invalidRequest("\(name) is an object and is compared with \(value)"))
      return value
    }
    guard let converted = type.compared(value) else {
      throw ObjectGraphError.invalidRequest("\(name) is of type \(type.rawValue) and is compared with \(value)")
    }
    return converted
  }
}
