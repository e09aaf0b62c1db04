extension AtomicStore {
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [FetchedRow] {
    try found(plan, window, variables).map { node in
      FetchedRow(id: ManagedObjectID(entity: plan.entity, origin: identifier, key: node.key), row: node.row)
    }
  }

  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64] {
    try found(plan, window, variables).map(\.key)
  }

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int {
    let count = plan.predicate == nil ? table(plan.entity).count : try matches(plan, variables).count
    return window.slice(count)
  }

  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]] {
    let rows = try matches(plan, variables).map(\.row)
    guard let groupedBy else {
      return [try aggregates.map { try $0.value(of: rows, fileName) }]
    }
    let groups = Dictionary(grouping: rows) { IndexKey($0.values[groupedBy.index]) }
    let ordered = groups.map { (value: $0.key?.value ?? .null, rows: $0.value) }.sorted { $0.value.precedes($1.value) }
    return try ordered.map { group in [group.value] + (try aggregates.map { try $0.value(of: group.rows, fileName) }) }
  }

  func rows(_ keys: [Int64], _ entity: Entity) -> [FetchedRow] {
    let table = table(entity)
    return keys.sorted().compactMap { key in
      table[key].map { FetchedRow(id: ManagedObjectID(entity: entity, origin: identifier, key: key), row: $0) }
    }
  }

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) -> [(source: Int64, destination: Int64)] {
    keys.sorted().flatMap { key in destinations(relationship, from: key).map { (key, $0) } }
  }

  // MARK: - Finding

  private func found(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]
  ) throws -> [StoredRow] {
    // Without an order, rows come in that of their keys, and those after the window need not be looked at.
    guard !plan.order.isEmpty else {
      let enough = window.limit > 0 ? max(window.offset, 0) + window.limit : Int.max
      return Array(window.slice(try matches(plan, variables, enough: enough)))
    }
    let nodes = try matches(plan, variables).map { StoreNode(entity: plan.entity, key: $0.key, row: $0.row) }
    let sorted = try plan.sorted(nodes, in: StoreSource(store: self))
    return window.slice(sorted).compactMap { node in node.row.map { (node.key, $0) } }
  }

  private typealias StoredRow = (key: Int64, row: Row)

  /// The rows that the predicate finds, in the order of their keys.
  private func matches(
    _ plan: FetchPlan, _ variables: [String: Operand], enough: Int = .max
  ) throws -> [StoredRow] {
    let table = table(plan.entity)
    guard let predicate = plan.predicate else { return Array(table.prefix(enough)) }
    let source = StoreSource(store: self)
    var found: [StoredRow] = []
    func add(_ key: Int64, _ row: Row) throws {
      let node = StoreNode(entity: plan.entity, key: key, row: row)
      if try predicate.matches(node, in: source, variables) { found.append((key, row)) }
    }
    if let keys = try candidates(predicate, plan.entity, variables) {
      for key in keys where found.count < enough {
        if let row = table[key] { try add(key, row) }
      }
    } else {
      for (key, row) in table {
        guard found.count < enough else { break }
        try add(key, row)
      }
    }
    return found
  }

  /// The keys of all rows that a predicate can find, in order, if an index or a key tells them; else nil.
  private func candidates(
    _ predicate: ResolvedPredicate, _ entity: Entity, _ variables: [String: Operand]
  ) throws -> [Int64]? {
    switch predicate {
    case .and(let parts):
      for part in parts {
        if let keys = try candidates(part, entity, variables) { return keys }
      }
      return nil
    case .comparison(let comparison):
      guard !comparison.ignoresCase, let wanted = try comparison.wantedValues(variables) else { return nil }
      switch (comparison.path.steps.count, comparison.path.target) {
      case (0, .object):
        return Set(wanted.compactMap { key(of: $0) }).sorted()
      case (1, .object):
        guard case .column(let place) = comparison.path.steps[0].storage else { return nil }
        let keys = wanted.map { key(of: $0).map { self.keys(entity, at: place, of: .integer($0)) } }
        // What leads nowhere is in no index.
        return keys.contains(where: { $0 == nil }) ? nil : Set(keys.flatMap { $0 ?? [] }).sorted()
      case (0, .attribute(let attribute)):
        guard isIndexed(attribute, entity) else { return nil }
        var keys: Set<Int64> = []
        for case .value(let value) in wanted {
          // The index knows values of the attribute's own kind.
          guard !value.isAbsent, attribute.type.accepts(value) else { return nil }
          keys.formUnion(self.keys(entity, at: attribute.index, of: value))
        }
        return keys.sorted()
      default: return nil
      }
    case .constant, .or, .not: return nil
    }
  }

  private func key(of reached: Reached) -> Int64? {
    guard case .object(let id) = reached, id.origin == identifier else { return nil }
    return id.key
  }

  private func isIndexed(_ attribute: Attribute, _ entity: Entity) -> Bool {
    entity.description.indexes.contains { $0.first == attribute.name }
      || entity.constraints.contains { $0 == [attribute.index] }
  }
}

extension ResolvedComparison {
  /// The values of which one must be there, if the comparison says that and its other side is the same for all
  /// objects.
  fileprivate func wantedValues(_ variables: [String: Operand]) throws -> [Reached]? {
    switch comparison {
    case .equal: return try operand.constants(path, variables)?.first.map { [$0] }
    case .in: return try operand.constants(path, variables)
    default: return nil
    }
  }
}

extension ResolvedOperand {
  fileprivate func constants(_ path: ResolvedPath, _ variables: [String: Operand]) throws -> [Reached]? {
    switch self {
    case .value(let value): return [.value(value)]
    case .object(let id): return [.object(id)]
    case .path: return nil
    case .variable(let name): return try Self.variable(name, for: path, variables)
    case .list(let parts):
      var all: [Reached] = []
      for part in parts {
        guard let values = try part.constants(path, variables) else { return nil }
        all += values
      }
      return all
    }
  }
}

/// An object of a store that is in memory.
struct StoreNode {
  let entity: Entity
  let key: Int64
  /// nil if a relationship leads to an object that is gone.
  let row: Row?
}

/// The rows of a store that is in memory, as predicates and orders look at them.
struct StoreSource: PredicateSource {
  let store: AtomicStore

  func id(of node: StoreNode) -> ManagedObjectID {
    ManagedObjectID(entity: node.entity, origin: store.identifier, key: node.key)
  }

  func value(_ attribute: Attribute, of node: StoreNode) -> Value { node.row?.values[attribute.index] ?? .null }

  func destinations(_ relationship: Relationship, of node: StoreNode) -> [StoreNode] {
    guard let row = node.row else { return [] }
    let entity = store.model.destination(of: relationship)
    if case .column(let place) = relationship.storage {
      guard case .integer(let key) = row.values[place] else { return [] }
      return [StoreNode(entity: entity, key: key, row: store.row(key, entity))]
    }
    return store.destinations(relationship, from: node.key).compactMap { key in
      store.row(key, entity).map { StoreNode(entity: entity, key: key, row: $0) }
    }
  }
}

extension FetchWindow {
  /// How many of a number of things are in it.
  func slice(_ count: Int) -> Int {
    let rest = max(count - max(offset, 0), 0)
    return limit > 0 ? min(rest, limit) : rest
  }
}
