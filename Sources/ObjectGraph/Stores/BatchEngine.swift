/// New rows for a store, provided one after the other.
struct BatchRows {
  /// The treatment of a row whose unique values already exist.
  enum ConflictRule {
    /// The insertion fails.
    case fail
    /// The stored row stays unchanged.
    case keepStored
    /// The stored row takes the given attributes.
    case replaceGiven
    /// The stored row takes all attributes.
    case replaceAll
  }

  let object: BatchObject
  let rule: ConflictRule
  let fill: (BatchObject) throws -> Bool

  var entity: Entity { object.entity }

  /// Whether a row may replace values of a stored row with the same unique values, or be dropped.
  var resolvesConflicts: Bool { rule != .fail && !entity.constraints.isEmpty }

  /// Fills the object with the next row.
  ///
  /// - Returns: Whether there is a next row.
  @inline(__always)
  func next() throws -> Bool { try object.fill(fill) }

  /// The indices of the attributes that the current row gives to the stored one. Empty if that stays unchanged.
  var replacedPlaces: [Int] {
    switch rule {
    case .fail, .keepStored: []
    case .replaceGiven: object.given
    case .replaceAll: Array(entity.attributes.indices)
    }
  }
}

/// The operations of stores without a context. All of them run between ``StoreEngine/begin()`` and
/// ``StoreEngine/commit()``.
protocol BatchEngine: AnyObject {
  /// Inserts rows under the next keys.
  ///
  /// - Returns: The number of rows written.
  /// - Throws: ``ObjectGraphError/constraints(_:)``, and errors from filling a row.
  func insert(_ rows: BatchRows) throws -> Int

  /// Deletes the rows that a request finds. The entity must have no delete rules to apply.
  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int
}
