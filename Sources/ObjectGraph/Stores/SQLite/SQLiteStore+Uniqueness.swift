// SQLite checks unique values row by row, but only the state after the save matters.

extension SQLiteStore {
  /// Writes changed rows that SQLite rejected, because another row still had the same unique values. Sets their old
  /// values to NULL first.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)`` if rows would have the same unique values after the save.
  func write(blocked: [StoreChanges.Update], _ changes: StoreChanges, _ presentID: PresentID) throws {
    let conflicts = try uniquenessCheck.conflicts(in: changes, presentID)
    guard conflicts.isEmpty else { throw ObjectGraphError.constraints(conflicts) }
    // Only a changed column is set to NULL, because the update writes no other columns.
    var emptied: [String: [Int64]] = [:]
    for update in blocked where update.old != nil {
      for indices in update.id.entity.constraints {
        guard let index = indices.first(where: update.columns.contains) else { continue }
        let entity = update.id.entity
        emptied["UPDATE \(entity.table) SET \(entity.columns[index]) = NULL", default: []].append(update.id.key)
      }
    }
    for (sql, keys) in emptied.sorted(by: { $0.key < $1.key }) {
      let statement = try database.statement("\(sql) WHERE Z_PK IN (SELECT value FROM json_each(?))")
      statement.bind(1, .string(CompiledRequest.list(keys)))
      try statement.run()
    }
    var merges: [MergeConflict] = []
    for update in blocked {
      let isWritten = try self.update(update, &merges) && merges.isEmpty
      guard isWritten else { throw try violation(changes, presentID) }
    }
  }

  func violation(_ changes: StoreChanges, _ presentID: PresentID) throws -> ObjectGraphError {
    let conflicts = try uniquenessCheck.conflicts(in: changes, presentID)
    guard conflicts.isEmpty else { return .constraints(conflicts) }
    return .damaged(file: database.file, "a unique index refuses a row, and no other row has its values")
  }

  private var uniquenessCheck: UniquenessCheck { UniquenessCheck(origin: identifier, holders: holders) }

  /// Finds the stored rows that have one of the combinations `values` in the columns `indices`. Calls `body` for each
  /// row.
  private func holders(
    _ entity: Entity, _ indices: [Int], _ values: [IndexKey], _ body: (UniquenessCheck.Holder) -> Void
  ) throws {
    let isSame = indices.enumerated().map { "t0.\(entity.columns[$1]) = OG_LISTED(?2, i * \(indices.count) + \($0))" }
    let statement = try database.statement(
      """
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) \
      SELECT i, \(entity.selection) FROM n CROSS JOIN \(entity.table) t0 ON \(isSame.joined(separator: " AND "))
      """)
    // The list has the unique values of a whole save, so it is released after the query.
    defer {
      statement.reset()
      statement.bind(2, .null)
    }
    statement.bind(1, Int64(values.count))
    statement.bind(2, list: indices.count == 1 ? values.map(\.value) : values.flatMap(\.values))
    while try statement.step() {
      let key = statement.integer(1)
      body((Int(statement.integer(0)), key, try writer.row(statement, entity, key, from: 2)))
    }
  }
}
