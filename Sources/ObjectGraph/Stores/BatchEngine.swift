/// What a batch request has done in one store.
struct BatchOutcome {
  /// How many objects the request was about.
  var count = 0
  /// Their IDs, if they were asked for, as are those below.
  var objectIDs: [ManagedObjectID] = []
  var inserted: [ManagedObjectID] = []
  var updated: [ManagedObjectID] = []
  var deleted: [ManagedObjectID] = []

  /// Notes an object that was inserted, or that took the values of one. Of several rows with the same unique values each
  /// counts, and the object is told once.
  mutating func note(_ id: ManagedObjectID, isNew: Bool, _ known: inout Set<Int64>) {
    guard known.insert(id.key).inserted else { return }
    objectIDs.append(id)
    if isNew { inserted.append(id) } else { updated.append(id) }
  }
}

/// New rows for a store, one after the other.
struct BatchRows {
  /// What becomes of a row whose unique values are there already.
  enum ConflictRule {
    /// It is an error.
    case fail
    /// The one that is there stays as it is.
    case keepStored
    /// The one that is there takes the attributes that are given.
    case replaceGiven
    /// The one that is there takes all attributes.
    case replaceAll
  }

  let object: BatchObject
  let rule: ConflictRule
  let fill: (BatchObject) throws -> Bool

  var entity: Entity { object.entity }

  /// Whether a row may take the place of one that has its unique values, or be dropped.
  var resolvesConflicts: Bool { rule != .fail && !entity.constraints.isEmpty }

  /// Fills the object with the next row.
  ///
  /// - Returns: Whether there is one.
  @inline(__always)
  func next() throws -> Bool { try object.fill(fill) }

  /// The places of the attributes that the row in hand gives to the one that is there; none if that one stays as it is.
  var replacedPlaces: [Int] {
    switch rule {
    case .fail, .keepStored: []
    case .replaceGiven: object.given
    case .replaceAll: Array(entity.attributes.indices)
    }
  }
}

/// What a batch update sets in every row that it finds.
struct BatchValues {
  let places: [Int]
  let values: [Value]

  /// A row after it.
  func row(from old: Row) -> Row {
    var values = Array(old.values)
    for (place, value) in zip(places, self.values) { values[place] = value }
    return Row(version: old.version + 1, values: values)
  }
}

/// What stores do past the contexts; all of it between ``StoreEngine/begin()`` and ``StoreEngine/commit()``.
protocol BatchEngine: AnyObject {
  /// Inserts rows under the next keys.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)``, and what filling a row throws.
  func insert(_ rows: BatchRows, wantsIDs: Bool) throws -> BatchOutcome

  /// Sets columns of all rows that a request finds, and counts their versions up.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)``.
  func update(
    _ plan: FetchPlan, _ variables: [String: Operand], _ values: BatchValues, wantsIDs: Bool
  ) throws -> BatchOutcome

  /// Deletes the rows that a request finds. No delete rule has anything to do.
  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int
}
