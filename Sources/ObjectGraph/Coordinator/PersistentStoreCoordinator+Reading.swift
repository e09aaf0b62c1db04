// The read requests of contexts. Each request borrows a reader of the store, and does not block other requests.

extension PersistentStoreCoordinator {
  @inline(__always)
  private func read<Result>(
    _ store: PersistentStore, _ generation: QueryGenerationToken?, _ body: (any StoreReader) throws -> Result
  ) throws -> Result {
    let snapshot = generation?.snapshot(of: store)
    let reader = try store.engine.borrowReader(snapshot)
    defer { store.engine.giveBack(reader, snapshot) }
    return try body(reader)
  }

  func presentGeneration() throws -> QueryGenerationToken? {
    var snapshots: [QueryGenerationToken.Part] = []
    for store in try enter() {
      if let snapshot = try store.engine.snapshot() { snapshots.append((store.origin, snapshot)) }
    }
    return snapshots.isEmpty ? nil : QueryGenerationToken(self, snapshots)
  }

  func fetch(
    _ request: StoreRequest, in generation: QueryGenerationToken?, _ body: (FetchedRow) -> Void
  ) throws {
    let stores = try enter()
    if stores.count == 1 { return try read(stores[0], generation) { try $0.fetch(request, body) } }
    guard request.plan.order.allSatisfy(\.path.steps.isEmpty) else {
      throw ObjectGraphError.invalidRequest(
        "a fetch over several stores cannot be sorted by an attribute of a related object")
    }
    var rows: [FetchedRow] = []
    for store in stores { try read(store, generation) { try $0.fetch(request.unlimited) { rows.append($0) } } }
    let source = FetchedRowSource(entity: request.entity)
    request.window.slice(try request.plan.sorted(rows, in: source)).forEach(body)
  }

  func fetchIDs(_ request: StoreRequest, in generation: QueryGenerationToken?) throws -> [ManagedObjectID] {
    let stores = try enter()
    guard stores.count == 1 else {
      var ids: [ManagedObjectID] = []
      try fetch(request, in: generation) { ids.append($0.id(request.entity)) }
      return ids
    }
    let origin = stores[0].origin
    return try read(stores[0], generation) { try $0.keys(request) }.map {
      ManagedObjectID(entity: request.entity, origin: origin, key: $0)
    }
  }

  func count(_ request: StoreRequest, in generation: QueryGenerationToken?) throws -> Int {
    let stores = try enter()
    if stores.count == 1 { return try read(stores[0], generation) { try $0.count(request) } }
    return request.window.count(
      of: try stores.reduce(0) { sum, store in
        try sum + read(store, generation) { try $0.count(request.unlimited) }
      })
  }

  func aggregate(
    _ request: StoreRequest, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?,
    in generation: QueryGenerationToken?
  ) throws -> [[Value]] {
    let stores = try enter()
    guard stores.count == 1 else {
      throw ObjectGraphError.invalidRequest(
        "aggregates work on one store, and \(stores.count) are open; "
          + "use a coordinator with one store, or compute them from the fetched objects")
    }
    return try read(stores[0], generation) { try $0.aggregate(request, aggregates, groupedBy: groupedBy) }
  }

  func row(for id: ManagedObjectID, in generation: QueryGenerationToken?) throws -> Row? {
    guard !id.isTemporary, managedObjectModel.owns(id.entity), let store = try store(of: id.origin) else { return nil }
    return try read(store, generation) { try $0.row(id.key, id.entity) }
  }

  func rows(
    for ids: [ManagedObjectID], in generation: QueryGenerationToken?
  ) throws -> [(id: ManagedObjectID, row: Row)] {
    var found: [(id: ManagedObjectID, row: Row)] = []
    for (table, ids) in Dictionary(grouping: ids, by: { TableID(origin: $0.origin, entity: $0.entity.number) })
      .sorted(by: { $0.key.entity < $1.key.entity })
    {
      guard let first = ids.first, managedObjectModel.owns(first.entity), let store = try store(of: table.origin) else {
        continue
      }
      found += try read(store, generation) { try $0.rows(ids.map(\.key), first.entity) }.map {
        ($0.id(first.entity), $0.row)
      }
    }
    return found
  }

  private struct TableID: Hashable {
    let origin: StoreIdentifier
    let entity: Int
  }

  /// Returns the links of a to-many relationship as pairs of keys. The source objects `ids` must be in one store.
  func destinations(
    of relationship: Relationship, from ids: [ManagedObjectID], in entity: Entity, _ generation: QueryGenerationToken?
  ) throws -> [(source: Int64, destination: Int64)] {
    guard let first = ids.first, let store = try store(of: first.origin) else { return [] }
    return try read(store, generation) { try $0.destinations(relationship, of: ids.map(\.key), in: entity) }
  }

  /// Reads the rows whose to-one relationship leads to one of the objects `ids`, which must all be in one store.
  func rows(
    pointing relationship: Relationship, to ids: [ManagedObjectID], of entity: Entity,
    in generation: QueryGenerationToken?
  ) throws -> [FetchedRow] {
    guard let first = ids.first, let store = try store(of: first.origin) else { return [] }
    return try read(store, generation) { try $0.rows(pointing: relationship, to: ids.map(\.key), entity) }
  }

  private func store(of origin: StoreIdentifier) throws -> PersistentStore? {
    try enter().first { $0.origin == origin }
  }
}

/// A source of attribute values for sorting rows that were read from several stores.
private struct FetchedRowSource: PredicateSource {
  let entity: Entity

  func id(of node: FetchedRow) -> ManagedObjectID { node.id(entity) }
  func value(_ attribute: Attribute, of node: FetchedRow) -> Value { node.row.values[attribute.index] }
  func destinations(_ relationship: Relationship, of node: FetchedRow) -> [FetchedRow] { [] }
}
