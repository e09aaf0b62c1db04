/// A predicate made ready to look at many rows: what is the same for all of them is worked out once.
indirect enum RowCondition {
  case constant(Bool)
  case and([RowCondition])
  case or([RowCondition])
  case not(RowCondition)
  /// An attribute is compared with values.
  case attribute(Attribute, ResolvedComparison, [Reached])
  /// An object, or the one that a to-one relationship leads to, is compared with others.
  case object(at: Int?, ResolvedComparison, [Reached])
  /// What leads further, or compares two properties with each other.
  case path(ResolvedComparison)

  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a variable without a value, or with one of another kind.
  init(_ predicate: ResolvedPredicate, of entity: Entity, in source: StoreSource, _ variables: [String: Operand]) throws
  {
    let ready = { (part: ResolvedPredicate) in try RowCondition(part, of: entity, in: source, variables) }
    switch predicate {
    case .constant(let value): self = .constant(value)
    case .and(let parts): self = .and(try parts.map(ready))
    case .or(let parts): self = .or(try parts.map(ready))
    case .not(let part): self = .not(try ready(part))
    case .comparison(let comparison):
      self = .path(comparison)
      guard comparison.operand.paths.isEmpty else { return }
      // An operand without paths is the same for all nodes.
      let anyNode = StoreNode(entity: entity, key: 0, row: nil)
      let values = try comparison.operand.reached(anyNode, in: source, comparison, variables)
      switch (comparison.path.steps.first?.storage, comparison.path.target) {
      case (nil, .attribute(let attribute)): self = .attribute(attribute, comparison, values)
      case (nil, .object): self = .object(at: nil, comparison, values)
      case (.column(let place), .object) where comparison.path.steps.count == 1:
        self = .object(at: place, comparison, values)
      default: break
      }
    }
  }

  /// Whether a row is found.
  func holds(_ node: StoreNode, _ row: Row, in source: StoreSource, _ variables: [String: Operand]) throws -> Bool {
    switch self {
    case .constant(let value): value
    case .and(let parts): try parts.allSatisfy { try $0.holds(node, row, in: source, variables) }
    case .or(let parts): try parts.contains { try $0.holds(node, row, in: source, variables) }
    case .not(let part): try !part.holds(node, row, in: source, variables)
    case .attribute(let attribute, let comparison, let values):
      comparison.holds(.value(row.values[attribute.index]), values)
    case .object(_, let comparison, _), .path(let comparison):
      try ResolvedPredicate.comparison(comparison).matches(node, in: source, variables)
    }
  }

  /// The keys of all rows that can be found, in order, if an index tells them; else nil.
  func candidates(_ store: AtomicStore, _ entity: Entity) -> [Int64]? {
    switch self {
    case .and(let parts): return parts.lazy.compactMap { $0.candidates(store, entity) }.first
    case .attribute(let attribute, let comparison, let values):
      guard comparison.options.isEmpty, store.isIndexed(attribute, entity) else { return nil }
      return comparison.union(of: values) { value in
        // The index knows values of the attribute's own kind, and no absent ones.
        guard case .value(let value) = value, !value.isAbsent, attribute.type.accepts(value) else { return nil }
        return store.keys(entity, at: attribute.index, of: value)
      }
    case .object(let place, let comparison, let values):
      return comparison.union(of: values) { value in
        guard case .object(let id) = value else { return nil }
        guard id.origin == store.identifier else { return [] }
        return place.map { store.keys(entity, at: $0, of: .integer(id.key)) } ?? [id.key]
      }
    case .constant, .or, .not, .path: return nil
    }
  }
}

extension ResolvedComparison {
  /// What there is for each of the values of which one must be there, if the comparison demands that; else nil.
  fileprivate func union(of values: [Reached], _ keys: (Reached) -> [Int64]?) -> [Int64]? {
    let wanted: ArraySlice<Reached>
    switch comparison {
    case .equal: wanted = values.prefix(1)
    case .in: wanted = values[...]
    default: return nil
    }
    if wanted.count == 1 { return keys(wanted[0]) }
    var all: Set<Int64> = []
    for value in wanted {
      guard let some = keys(value) else { return nil }
      all.formUnion(some)
    }
    return all.sorted()
  }
}

extension AtomicStore {
  /// Whether an attribute is worth an index: whether the model declares one that begins with it.
  fileprivate func isIndexed(_ attribute: Attribute, _ entity: Entity) -> Bool {
    entity.description.indexes.contains { $0.first == attribute.name }
      || entity.constraints.contains { $0.first == attribute.index }
  }
}
