/// A check of the objects in a save for violations of uniqueness constraints in the state after the save.
struct UniquenessCheck {
  /// A stored row with the same unique values as an object in a save. `number` is the index of the object in the array
  /// of checked objects.
  typealias Holder = (number: Int, key: Int64, row: Row)

  let origin: StoreIdentifier
  /// A function that finds stored rows. Arguments: the entity, the indices of columns, the values to find in these
  /// columns, a receiver of the rows.
  let holders: (Entity, [Int], [IndexKey], (Holder) -> Void) throws -> Void

  /// The objects in a save that may violate one uniqueness constraint: new objects, and objects with changed unique
  /// values.
  private struct Candidates {
    var keys: [Int64] = []
    var values: [IndexKey] = []
    /// The primary keys of the rows that the save deletes or gives new unique values.
    var written: Set<Int64> = []
    /// The old rows of changed objects whose unique values stay the same, by primary key.
    var former: [Int64: Row] = [:]
    var inserted: [ClosedRange<Int64>] = []

    init(_ changes: StoreChanges, _ entity: Entity, _ indices: [Int]) {
      for (id, _) in changes.deleted where id.entity === entity { written.insert(id.key) }
      for update in changes.updated where update.id.entity === entity {
        guard update.old == nil || indices.contains(where: update.columns.contains) else {
          former[update.id.key] = update.old
          continue
        }
        written.insert(update.id.key)
        add(update.id.key, IndexKey(update.new, indices))
      }
      for rows in changes.inserted where rows.entity === entity {
        // A closed range, because the last possible key may be included.
        inserted.append(rows.firstKey...rows.firstKey + Int64(rows.values.count - 1))
        keys.reserveCapacity(keys.count + rows.values.count)
        values.reserveCapacity(values.count + rows.values.count)
        for (index, values) in rows.values.enumerated() {
          add(rows.firstKey + Int64(index), IndexKey(values, indices))
        }
      }
    }

    private mutating func add(_ key: Int64, _ values: IndexKey?) {
      guard let values else { return }
      keys.append(key)
      self.values.append(values)
    }

    func contains(_ key: Int64) -> Bool { written.contains(key) || inserted.contains { $0.contains(key) } }
  }

  func conflicts(in changes: StoreChanges, _ presentID: PresentID) throws -> [ConstraintConflict] {
    var entities: [Int: Entity] = [:]
    for rows in changes.inserted { entities[rows.entity.number] = rows.entity }
    for update in changes.updated { entities[update.id.entity.number] = update.id.entity }
    return try entities.sorted { $0.key < $1.key }.flatMap { _, entity in
      try entity.constraints.flatMap { try conflicts(Candidates(changes, entity, $0), entity, $0, presentID) }
    }
  }

  private func conflicts(
    _ candidates: Candidates, _ entity: Entity, _ indices: [Int], _ presentID: PresentID
  ) throws -> [ConstraintConflict] {
    guard !candidates.keys.isEmpty else { return [] }
    // Of the objects that share values, the first one represents all.
    var firsts: [IndexKey: Int] = [:]
    firsts.reserveCapacity(candidates.keys.count)
    var others: [Int: [Int]] = [:]
    for (number, values) in candidates.values.enumerated() {
      guard let first = firsts.updateValue(number, forKey: values) else { continue }
      firsts[values] = first
      others[first, default: []].append(number)
    }
    let repeated = Set(others.values.joined())
    var stored: [Int: Holder] = [:]
    try holders(entity, indices, candidates.values) { holder in
      guard !candidates.contains(holder.key), !repeated.contains(holder.number) else { return }
      stored[holder.number] = holder
    }
    guard !stored.isEmpty || !others.isEmpty else { return [] }
    let names = indices.map { entity.propertyName(at: $0) }
    func id(_ key: Int64) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
    @inline(__always)
    func conflict(_ number: Int, others: [Int], _ holder: Holder?) -> ConstraintConflict {
      ConstraintConflict(
        constraint: names, firstObjectID: presentID(id(candidates.keys[number])),
        otherObjectIDs: others.map { presentID(id(candidates.keys[$0])) }, databaseObjectID: holder.map { id($0.key) },
        databaseSnapshot: holder.map { candidates.former[$0.key] ?? $0.row }, values: candidates.values[number])
    }
    var conflicts: [ConstraintConflict] = []
    for number in candidates.keys.indices {
      if let others = others[number] { conflicts.append(conflict(number, others: others, nil)) }
      if let holder = stored[number] { conflicts.append(conflict(number, others: [], holder)) }
    }
    return conflicts
  }
}
