/// A predicate with its names resolved to attributes and relationships.
indirect enum ResolvedPredicate {
  case constant(Bool)
  case comparison(ResolvedComparison)
  case and([ResolvedPredicate])
  case or([ResolvedPredicate])
  case not(ResolvedPredicate)
}

struct ResolvedComparison {
  var path: ResolvedPath
  var comparison: ComparisonOperator
  var operand: ResolvedOperand
  var ignoresCase: Bool
}

indirect enum ResolvedOperand {
  case value(Value)
  case object(ManagedObjectID)
  case list([ResolvedOperand])
  case path(ResolvedPath)
  case variable(String)
}

/// A path of relationships and what is at its end.
struct ResolvedPath {
  enum Target {
    case attribute(Attribute)
    /// The object itself.
    case object
  }

  var steps: [Relationship]
  var target: Target
  /// The entity at the end.
  var entity: Entity

  var hasToMany: Bool { steps.contains(where: \.isToMany) }

  /// The type of the values at the end, or nil for objects.
  var type: AttributeType? {
    if case .attribute(let attribute) = target { attribute.type } else { nil }
  }
}

/// Finds what names mean.
struct PredicateResolver {
  let model: ManagedObjectModel

  func resolve(_ predicate: FetchPredicate, _ entity: Entity) throws -> ResolvedPredicate {
    switch predicate {
    case .constant(let value): return .constant(value)
    case .and(let parts): return .and(try parts.map { try resolve($0, entity) })
    case .or(let parts): return .or(try parts.map { try resolve($0, entity) })
    case .not(let part): return .not(try resolve(part, entity))
    case .comparison(let comparison): return .comparison(try resolve(comparison, entity))
    }
  }

  private func resolve(_ comparison: Comparison, _ entity: Entity) throws -> ResolvedComparison {
    let what = "'\(comparison.path)' of \(entity.name)"
    let path = try path(comparison.path, entity)
    guard path.hasToMany == comparison.isAny else {
      throw ObjectGraphError.invalidRequest(
        comparison.isAny
          ? "\(what) leads over no to-many relationship; leave ANY out"
          : "\(what) leads over a to-many relationship; say ANY")
    }
    switch comparison.comparison {
    case .contains, .beginsWith, .endsWith, .like:
      guard path.type == .string || path.type == .uri else {
        throw ObjectGraphError.invalidRequest("\(what) is not a text and cannot be searched for one")
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
      guard path.type != nil else {
        throw ObjectGraphError.invalidRequest("\(what) is an object, which is neither less nor greater than another")
      }
    case .equal, .notEqual, .in: break
    }
    if comparison.comparison == .between, case .list(let bounds) = comparison.operand, bounds.count != 2 {
      throw ObjectGraphError.invalidRequest("BETWEEN takes two values, not \(bounds.count)")
    }
    return ResolvedComparison(
      path: path, comparison: comparison.comparison,
      operand: try operand(comparison.operand, for: path, entity, what), ignoresCase: comparison.ignoresCase)
  }

  private func operand(
    _ operand: Operand, for path: ResolvedPath, _ entity: Entity, _ what: String
  ) throws -> ResolvedOperand {
    switch operand {
    case .variable(let name): return .variable(name)
    case .list(let parts): return .list(try parts.map { try self.operand($0, for: path, entity, what) })
    case .path(let name):
      let other = try self.path(name, entity)
      guard !other.hasToMany else {
        throw ObjectGraphError.invalidRequest("'\(name)' leads over a to-many relationship; put it on the left")
      }
      return .path(other)
    case .object(let id):
      guard path.type == nil, id.entity === path.entity else {
        throw ObjectGraphError.invalidRequest("\(what) is compared with an object of \(id.entity.name)")
      }
      return .object(id)
    case .value(let value):
      guard let type = path.type else {
        guard value.isNull else {
          throw ObjectGraphError.invalidRequest("\(what) is an object and is compared with \(value)")
        }
        return .value(value)
      }
      return .value(try Self.converted(value, to: type, what))
    }
  }

  /// A value in the form in which the store keeps the attribute.
  static func converted(_ value: Value, to type: AttributeType, _ what: String) throws -> Value {
    // Bounds beyond what the type holds are fine: 40,000 is greater than every integer16.
    switch (type, value) {
    case (_, .null), (.integer16, .integer), (.integer32, .integer), (.boolean, .integer), (.integer16, .double),
      (.integer32, .double), (.integer64, .double), (.float, .double):
      return value
    default:
      guard let converted = type.converted(value) else {
        throw ObjectGraphError.invalidRequest("\(what) is of type \(type.rawValue) and is compared with \(value)")
      }
      return converted
    }
  }

  func path(_ path: String, _ entity: Entity) throws -> ResolvedPath {
    var entity = entity
    var steps: [Relationship] = []
    guard path.uppercased() != "SELF" else { return ResolvedPath(steps: [], target: .object, entity: entity) }
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, name) in names.enumerated() {
      switch entity.properties[name] {
      case .attribute(let place) where index == names.count - 1:
        return ResolvedPath(steps: steps, target: .attribute(entity.attributes[place]), entity: entity)
      case .relationship(let place):
        let relationship = entity.relationships[place]
        steps.append(relationship)
        entity = model.destination(of: relationship)
      default: throw ObjectGraphError.unknownKey(name, entity: entity.name)
      }
    }
    return ResolvedPath(steps: steps, target: .object, entity: entity)
  }
}
