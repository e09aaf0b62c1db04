extension AtomicStore {
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws {
    for node in try found(plan, window, variables) {
      body(FetchedRow(origin: identifier, key: node.key, row: node.row))
    }
  }

  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64] {
    try found(plan, window, variables).map(\.key)
  }

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int {
    let count = plan.predicate == nil ? table(plan.entity).count : try matches(plan, variables).count
    return window.count(of: count)
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
      table[key].map { FetchedRow(origin: identifier, key: key, row: $0) }
    }
  }

  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) -> [FetchedRow] {
    guard case .column(let place) = relationship.storage else { return [] }
    return rows(keys.flatMap { self.keys(entity, at: place, of: .integer($0)) }, entity)
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
      let enough = window.widened(by: 0).limit
      return Array(window.slice(try matches(plan, variables, enough: enough > 0 ? enough : .max)))
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
    guard let predicate = try plan.predicate?.prepared(variables) else { return Array(table.prefix(enough)) }
    let source = StoreSource(store: self)
    var found: [StoredRow] = []
    func add(_ key: Int64, _ row: Row) throws -> Bool {
      let node = StoreNode(entity: plan.entity, key: key, row: row)
      if try predicate.matches(node, in: source, variables) { found.append((key, row)) }
      return found.count < enough
    }
    if let keys = candidates(predicate, plan.entity) {
      for key in keys {
        if let row = table[key], try !add(key, row) { break }
      }
    } else {
      for (key, row) in table where try !add(key, row) { break }
    }
    return found
  }

  /// The keys of all rows that a prepared predicate can find, in order, if an index tells them; else nil.
  private func candidates(_ predicate: ResolvedPredicate, _ entity: Entity) -> [Int64]? {
    if case .and(let parts) = predicate { return parts.lazy.compactMap { self.candidates($0, entity) }.first }
    guard case .comparison(let comparison) = predicate, case .set(let set) = comparison.operand,
      comparison.comparison == .equal || comparison.comparison == .in, comparison.options.isEmpty, !set.values.isEmpty
    else { return nil }
    var all: Set<Int64> = []
    for value in set.values {
      guard let keys = keys(comparison.path, value, entity) else { return nil }
      all.formUnion(keys)
    }
    return all.sorted()
  }

  /// The keys of the rows that a path leads from to a value or an object, if an index tells them.
  private func keys(_ path: ResolvedPath, _ value: Reached, _ entity: Entity) -> [Int64]? {
    switch (path.target, value, path.steps.first?.storage) {
    case (.attribute(let attribute), .value(let value), nil):
      // The index knows values of the attribute's own kind, and no absent ones.
      guard isIndexed(attribute, entity), !value.isAbsent, attribute.type.accepts(value) else { return nil }
      return keys(entity, at: attribute.index, of: value)
    case (.object, .object(let id), nil): return id.origin == identifier ? [id.key] : []
    case (.object, .object(let id), .column(let place)) where path.steps.count == 1:
      return id.origin == identifier ? keys(entity, at: place, of: .integer(id.key)) : []
    default: return nil
    }
  }

  /// Whether an attribute is worth an index: whether the model declares one that begins with it.
  private func isIndexed(_ attribute: Attribute, _ entity: Entity) -> Bool {
    entity.description.indexes.contains { $0.first == attribute.name }
      || entity.constraints.contains { $0.first == attribute.index }
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
