extension AtomicStore {
  func fetch(_ request: StoreRequest, _ body: (FetchedRow) -> Void) throws {
    for (key, row) in try found(request) { body(FetchedRow(origin: identifier, key: key, row: row)) }
  }

  func keys(_ request: StoreRequest) throws -> [Int64] { try found(request).map(\.key) }

  func count(_ request: StoreRequest) throws -> Int {
    let isAll = request.plan.predicate == nil
    return request.window.count(of: isAll ? contents[request.entity].rows.count : try matches(request).count)
  }

  func aggregate(
    _ request: StoreRequest, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?
  ) throws -> [[Value]] {
    let rows = try matches(request).map(\.row)
    guard let groupedBy else { return [try aggregates.map { try $0.value(of: rows, fileName) }] }
    let groups = Dictionary(grouping: rows) { IndexKey($0[groupedBy.index]) }
    let ordered = groups.map { (value: $0.key?.value ?? .null, rows: $0.value) }.sorted { $0.value.precedes($1.value) }
    return try ordered.map { group in [group.value] + (try aggregates.map { try $0.value(of: group.rows, fileName) }) }
  }

  func rows(_ keys: [Int64], _ entity: Entity) -> [FetchedRow] {
    keys.sorted().compactMap { key in row(key, entity).map { FetchedRow(origin: identifier, key: key, row: $0) } }
  }

  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) -> [FetchedRow] {
    guard case .column(let index) = relationship.storage else { return [] }
    return rows(keys.flatMap { self.keys(entity, at: index, of: .integer($0)) }, entity)
  }

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) -> [(source: Int64, destination: Int64)] {
    keys.sorted().flatMap { key in destinations(relationship, from: key).map { (key, $0) } }
  }

  private typealias StoredRow = (key: Int64, row: Row)

  private func found(_ request: StoreRequest) throws -> ArraySlice<StoredRow> {
    let rows = try matches(request)
    guard !request.plan.order.isEmpty else { return request.window.slice(rows) }
    let nodes = rows.map { StoreNode(entity: request.entity, key: $0.key, row: $0.row) }
    let sorted = try request.plan.sorted(nodes, in: self)
    return request.window.slice(sorted.compactMap { node in node.row.map { (node.key, $0) } })
  }

  private func matches(_ request: StoreRequest) throws -> [StoredRow] {
    let entity = request.entity
    guard let predicate = try request.plan.predicate?.prepared(request.variables) else {
      return contents[entity].sorted
    }
    let found: [StoredRow]? = candidates(predicate, entity)?.compactMap { key in
      row(key, entity).map { (key, $0) }
    }
    return try (found ?? contents[entity].sorted).filter { key, row in
      try predicate.matches(StoreNode(entity: entity, key: key, row: row), in: self)
    }
  }

  /// Returns the sorted keys of the rows that may match a predicate, from an index. Nil if there is no suitable index.
  private func candidates(_ predicate: ResolvedPredicate, _ entity: Entity) -> [Int64]? {
    if case .and(let parts) = predicate { return parts.lazy.compactMap { self.candidates($0, entity) }.first }
    guard case .comparison(let comparison) = predicate, let set = comparison.set,
      comparison.comparison == .equal || comparison.comparison == .in, !set.values.isEmpty
    else { return nil }
    var all: Set<Int64> = []
    for value in set.values {
      switch (comparison.path.attribute, value, comparison.path.steps.first?.storage) {
      // The index has only values of the attribute's type, and no absent values.
      case (let attribute?, .value(let value), nil)
      where isIndexed(attribute, entity) && !value.isAbsent && attribute.type.accepts(value):
        all.formUnion(keys(entity, at: attribute.index, of: value))
      case (nil, .object(let id), nil): if id.origin == identifier { all.insert(id.key) }
      case (nil, .object(let id), .column(let index)) where comparison.path.steps.count == 1:
        if id.origin == identifier { all.formUnion(keys(entity, at: index, of: .integer(id.key))) }
      default: return nil
      }
    }
    return all.sorted()
  }

  private func isIndexed(_ attribute: Attribute, _ entity: Entity) -> Bool {
    entity.description.indexes.contains { $0.first == attribute.name }
      || entity.constraints.contains { $0.first == attribute.index }
  }
}

struct StoreNode {
  let entity: Entity
  let key: Int64
  /// The stored row with the primary key ``key``. Nil if the row does not exist.
  let row: Row?
}

/// A source from which predicates and sort keys read the rows of an ``AtomicStore``, which keeps all rows in memory.
extension AtomicStore: PredicateSource {
  func id(of node: StoreNode) -> ManagedObjectID {
    ManagedObjectID(entity: node.entity, origin: identifier, key: node.key)
  }

  func value(_ attribute: Attribute, of node: StoreNode) -> Value { node.row?[attribute.index] ?? .null }

  func destinations(_ relationship: Relationship, of node: StoreNode) -> [StoreNode] {
    guard let row = node.row else { return [] }
    let entity = model.destination(of: relationship)
    if case .column(let index) = relationship.storage {
      guard case .integer(let key) = row[index] else { return [] }
      return [StoreNode(entity: entity, key: key, row: self.row(key, entity))]
    }
    return destinations(relationship, from: node.key).compactMap { key in
      self.row(key, entity).map { StoreNode(entity: entity, key: key, row: $0) }
    }
  }
}
