// The read requests of contexts. Each request borrows a reader of the store, and does not block other requests.

extension PersistentStoreCoordinator {
  @inline(__always)
  private func read<Result>(
    _ store: PersistentStore, _ generation: QueryGenerationToken?, _ body: (any StoreReader) throws -> Result
  ) throws -> Result {
    let snapshot = generation?.snapshot(of: store)
    let reader = try snapshot?.borrow() ?? store.engine.borrowReader()
    defer { if let snapshot { snapshot.giveBack() } else { store.engine.giveBack(reader) } }
    return try body(reader)
  }

  func presentGeneration() throws -> QueryGenerationToken? {
    let snapshots: [QueryGenerationToken.Part] = try enter().compactMap { store in
      try store.engine.snapshot().map { (store.origin, $0) }
    }
    return snapshots.isEmpty ? nil : QueryGenerationToken(self, snapshots)
  }

  func fetch(
    _ request: StoreRequest, in generation: QueryGenerationToken?, _ body: (FetchedRow) -> Void
  ) throws {
    let stores = try enter()
    if stores.count == 1 { return try read(stores[0], generation) { try $0.fetch(request, body) } }
    try require(
      request.plan.order.allSatisfy(\.path.steps.isEmpty),
      .invalidRequest("a fetch over several stores cannot be sorted by an attribute of a related object"))
    var rows: [FetchedRow] = []
    for store in stores { try read(store, generation) { try $0.fetch(request.unlimited) { rows.append($0) } } }
    let attributes = request.plan.order.compactMap(\.path.attribute)
    let positions = rows.map { row in
      (row, FetchPlan.Position(values: attributes.map { row.row[$0.index] }, id: row.id(request.entity)))
    }
    request.window.slice(positions.sorted { request.plan.isOrdered($0.1, $1.1) }.map(\.0)).forEach(body)
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
    let counts = try stores.map { try read($0, generation) { try $0.count(request.unlimited) } }
    return request.window.count(of: counts.reduce(0, +))
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
    // The ID with the key 0, which no object has, represents the table.
    let tables = Dictionary(grouping: ids) { ManagedObjectID(entity: $0.entity, origin: $0.origin, key: 0) }
    for (table, ids) in tables.sorted(by: { $0.key.entity.number < $1.key.entity.number }) {
      let entity = table.entity
      guard managedObjectModel.owns(entity), let store = try store(of: table.origin) else { continue }
      found += try read(store, generation) { try $0.rows(ids.map(\.key), entity) }.map { ($0.id(entity), $0.row) }
    }
    return found
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
