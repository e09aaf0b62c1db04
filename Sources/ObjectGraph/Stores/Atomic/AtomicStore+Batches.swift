// Batch requests over rows in memory: as ``SQLiteStore`` does them.

extension AtomicStore {
  func insert(_ rows: BatchRows, wantsIDs: Bool) throws -> BatchOutcome {
    let entity = rows.entity
    let first = try allocateKeys(0, entity)
    var outcome = BatchOutcome()
    var known: Set<Int64> = []
    var next = first
    while try rows.next() {
      let values = rows.object.values
      let holder = rows.resolvesConflicts ? holder(of: values, entity) : nil
      let key = holder ?? next
      if let holder {
        let places = rows.replacedPlaces
        guard !places.isEmpty, let old = row(holder, entity) else { continue }
        let new = BatchValues(places: places, values: places.map { values[$0] }).row(from: old)
        try update([.init(id: id(holder, entity), old: old, new: new, columns: places)])
      } else {
        var changes = StoreChanges()
        changes.inserted = [.init(entity: entity, firstKey: key, values: [values][...])]
        try write(changes) { $0 }
        next += 1
      }
      outcome.count += 1
      if wantsIDs { outcome.note(id(key, entity), isNew: holder == nil, &known) }
    }
    _ = try allocateKeys(Int(next - first), entity)
    return outcome
  }

  /// The key of a row that has the values of a constraint already, the first constraint first.
  private func holder(of values: [Value], _ entity: Entity) -> Int64? {
    entity.constraints.lazy.compactMap { places in
      IndexKey(values, places).flatMap { self.index(entity, places)[$0].first }
    }.first
  }

  func update(
    _ plan: FetchPlan, _ variables: [String: Operand], _ values: BatchValues, wantsIDs: Bool
  ) throws -> BatchOutcome {
    var found: [FetchedRow] = []
    try fetch(plan, .all, variables) { found.append($0) }
    try update(
      found.map {
        .init(id: $0.id(plan.entity), old: $0.row, new: values.row(from: $0.row), columns: values.places)
      })
    let ids = wantsIDs ? found.map { $0.id(plan.entity) } : []
    return BatchOutcome(count: found.count, objectIDs: ids, updated: ids)
  }

  /// Changes rows as a save does, which says whose values must be unique and are not.
  private func update(_ updates: [StoreChanges.Update]) throws {
    var changes = StoreChanges()
    changes.updated = updates
    try write(changes) { $0 }
  }

  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int {
    let keys = try keys(plan, window, variables)
    for key in keys { change(key, plan.entity, to: nil) }
    return keys.count
  }

  private func id(_ key: Int64, _ entity: Entity) -> ManagedObjectID {
    ManagedObjectID(entity: entity, origin: identifier, key: key)
  }
}
