/// New rows for a store, one after the other.
struct BatchRows {
  /// The treatment of a row whose unique values already exist.
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

/// The operations of stores without a context, all of them between ``StoreEngine/begin()`` and
/// ``StoreEngine/commit()``.
protocol BatchEngine: AnyObject {
  /// Inserts rows under the next keys.
  ///
  /// - Returns: The number of rows written.
  /// - Throws: ``ObjectGraphError/constraints(_:)``, and what filling a row throws.
  func insert(_ rows: BatchRows) throws -> Int

  /// Deletes the rows that a request finds. No delete rule has anything to do.
  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int
}
