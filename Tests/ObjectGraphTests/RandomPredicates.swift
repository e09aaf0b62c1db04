import ObjectGraph
import TestSupport

/// Makes predicates and orders that fit a model, for any content of the store.
struct RandomPredicates {
  let model: ManagedObjectModel
  /// Objects to compare relationships with, by entity.
  let ids: [String: [ManagedObjectID]]
  var random: SplitMix64
  /// The values of the variables in the last predicate.
  private var variables: [String: Operand] = [:]

  init(_ model: ManagedObjectModel, _ ids: [String: [ManagedObjectID]], seed: UInt64) {
    self.model = model
    self.ids = ids
    random = SplitMix64(seed: seed)
  }

  /// A path with what is at its end.
  private struct Path {
    var names: [String] = []
    var hasToMany = false
    var entity: Entity
    var attribute: Attribute?

    var text: String { names.isEmpty ? "SELF" : names.joined(separator: ".") }
    var isText: Bool { attribute.map { $0.type == .string || $0.type == .uri } ?? false }
  }

  private mutating func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

  /// A request with a predicate, an order, a window, and values for the variables.
  mutating func request(of entity: Entity) -> FetchRequest<ManagedObject> {
    variables = [:]
    let request = FetchRequest<ManagedObject>(
      entity.name, where: predicate(entity, depth: 0), sortedBy: order(of: entity))
    request.variables = variables
    request.fetchLimit = chance(1, of: 2) ? 0 : Int.random(in: 1...12, using: &random)
    request.fetchOffset = chance(2, of: 3) ? 0 : Int.random(in: 0...9, using: &random)
    return request
  }

  private mutating func predicate(_ entity: Entity, depth: Int) -> FetchPredicate {
    guard depth < 4, chance(2, of: 5) else {
      return chance(1, of: 30) ? .constant(chance(1, of: 2)) : comparison(entity)
    }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .not(predicate(entity, depth: depth + 1))
    case 1: return .and((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(entity, depth: depth + 1) })
    default: return .or((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(entity, depth: depth + 1) })
    }
  }

  /// A path of up to three relationships.
  private mutating func path(_ entity: Entity, allowsToMany: Bool) -> Path {
    var path = Path(entity: entity)
    while path.names.count < 3, chance(2, of: 5) {
      let relationships = path.entity.relationships.filter { allowsToMany || !$0.isToMany }
      guard !relationships.isEmpty else { break }
      let step = Everything.pick(relationships, &random)
      path.names.append(step.name)
      path.hasToMany = path.hasToMany || step.isToMany
      path.entity = model.destination(of: step)
    }
    if !path.names.isEmpty, chance(1, of: 4) { return path }
    let attribute = Everything.pick(path.entity.attributes, &random)
    path.names.append(attribute.name)
    path.attribute = attribute
    return path
  }

  private mutating func comparison(_ entity: Entity) -> FetchPredicate {
    let path = chance(1, of: 20) ? Path(entity: entity) : path(entity, allowsToMany: true)
    var operators: [ComparisonOperator] = [.equal, .notEqual, .in]
    if path.attribute != nil { operators += [.less, .lessOrEqual, .greater, .greaterOrEqual, .between] }
    if path.isText { operators += [.contains, .beginsWith] }
    let comparison = Everything.pick(operators, &random)
    var operand: Operand
    switch comparison {
    case .in: operand = .list((0..<Int.random(in: 0...4, using: &random)).map { _ in value(for: path) })
    case .between: operand = .list([value(for: path), value(for: path)])
    case .contains, .beginsWith: operand = text()
    default: operand = value(for: path)
    }
    if chance(1, of: 8) {
      let name = "V\(variables.count)"
      variables[name] = operand
      operand = .variable(name)
    }
    return .comparison(ComparisonPredicate(path.text, path.hasToMany ? .any : .direct, comparison, operand))
  }

  private mutating func value(for path: Path) -> Operand {
    if chance(1, of: 10) { return .value(.null) }
    guard let attribute = path.attribute else {
      let ids = ids[path.entity.name] ?? []
      return ids.isEmpty ? .value(.null) : .object(Everything.pick(ids, &random))
    }
    return .value(Everything.value(attribute.type, &random, asOperand: true))
  }

  private mutating func text() -> Operand {
    if chance(1, of: 12) { return .value(.null) }
    return .value(.string(Everything.pick(Everything.texts, &random)))
  }

  private mutating func order(of entity: Entity) -> [SortKey] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      var path = path(entity, allowsToMany: false)
      if path.attribute == nil { path.names.append(Everything.pick(path.entity.attributes, &random).name) }
      return SortKey(path.text, ascending: chance(1, of: 2))
    }
  }
}
