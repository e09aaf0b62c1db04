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
    guard let predicate = plan.predicate else { return Array(table.prefix(enough)) }
    let source = StoreSource(store: self)
    let condition = try RowCondition(try predicate.prepared(variables), of: plan.entity, in: source, variables)
    var found: [StoredRow] = []
    func add(_ key: Int64, _ row: Row) throws {
      let node = StoreNode(entity: plan.entity, key: key, row: row)
      if try condition.holds(node, row, in: source, variables) { found.append((key, row)) }
    }
    if let keys = condition.candidates(self, plan.entity) {
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
