import GRDBSQLite

extension SQLiteStore {
  func insert(_ rows: BatchRows) throws -> Int {
    // No other writer can allocate keys during the transaction, so the keys are allocated at the end, once they are
    // counted.
    let first = try allocateKeys(0, rows.entity)
    var (next, count) = (first, 0)
    let plain = rows.resolvesConflicts ? nil : try writer.statements(rows.entity).insert
    while try rows.next() {
      if let plain {
        guard try insert(plain, rows.entity, next, rows.object.values) else { throw try violation(rows, next) }
        next += 1
      } else if let written = try upsert(rows, next) {
        if written == next { next += 1 }
      } else {
        continue
      }
      count += 1
    }
    _ = try allocateKeys(Int(next - first), rows.entity)
    return count
  }

  /// Inserts a row. If a stored row has the same unique values, applies the merge policy. Returns the key of the
  /// written row, or nil if none was written.
  private func upsert(_ rows: BatchRows, _ key: Int64) throws -> Int64? {
    let entity = rows.entity
    let replaced = rows.replacedIndices.map { "\(entity.columns[$0]) = excluded.\(entity.columns[$0])" }
    let action =
      replaced.isEmpty ? "NOTHING" : "UPDATE SET \((replaced + ["Z_OPT = Z_OPT + 1"]).joined(separator: ", "))"
    let clauses = entity.constraints.map { constraint in
      "ON CONFLICT (\(constraint.map { entity.columns[$0] }.joined(separator: ", "))) DO \(action)"
    }
    let statement = try database.statement(
      "\(entity.insertion) \(clauses.joined(separator: " ")) RETURNING Z_PK")
    statement.bind(newKey: key, entity)
    let values = try externalData?.columns(rows.object.values, entity.externalIndices) ?? rows.object.values
    return try statement.binding(values, 0..<values.count, from: 4) {
      defer { statement.reset() }
      do {
        if try statement.step() { return statement.integer(0) }
        // The row was not written, so the files that were written for its values are not needed.
        for index in entity.externalIndices { ExternalData.file(of: values[index]).map { externalData?.drop($0) } }
        return nil
      } catch {
        // The row shares unique values with two stored rows, by different constraints.
        guard sqlite3_extended_errcode(database.handle) == Self.uniqueConstraint else { throw error }
        statement.reset()
        throw try violation(rows, key)
      }
    }
  }

  private func violation(_ rows: BatchRows, _ key: Int64) throws -> ObjectGraphError {
    var changes = StoreChanges()
    changes.inserted = [.init(entity: rows.entity, firstKey: key, values: [rows.object.values][...])]
    return try violation(changes) { $0 }
  }

  func delete(_ request: StoreRequest) throws -> Int {
    let compiled = try CompiledRequest(request)
    let table = request.entity.table
    // For a request with one table and no limit or offset, the condition is used directly. The values for LIMIT and
    // OFFSET are ignored.
    let isPlain =
      request.window.isAll
      && (compiled.body == "FROM \(table) t0" || compiled.body.hasPrefix("FROM \(table) t0 WHERE "))
    let sql =
      isPlain
      ? "DELETE FROM \(table) AS t0\(compiled.body.dropFirst("FROM \(table) t0".count))"
      : "DELETE FROM \(table) WHERE Z_PK IN (SELECT t0.Z_PK \(compiled.body)\(compiled.tail))"
    let statement = try compiled.statement(sql, database, identifier, request)
    try statement.run()
    return Int(sqlite3_changes(database.handle))
  }
}
