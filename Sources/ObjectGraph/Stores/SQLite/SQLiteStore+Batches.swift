import GRDBSQLite

extension SQLiteStore {
  func insert(_ rows: BatchObject, key: Int64) throws -> Int64? {
    guard !rows.resolvesConflicts else { return try upsert(rows, key) }
    let statement = try writer.statements(rows.entity).insert
    guard try insert(statement, rows.entity, key, rows.values) else { throw try violation(rows, key) }
    return key
  }

  private func upsert(_ rows: BatchObject, _ key: Int64) throws -> Int64? {
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
    let values = try externalData?.columns(rows.values, entity.externalIndices) ?? rows.values
    return try statement.binding(values, 0..<values.count, from: 4) {
      defer { statement.reset() }
      do {
        if try statement.step() { return statement.integer(0) }
        // The row was not written, so the files that were written for its values are not needed.
        externalData?.dropped += entity.externalIndices.compactMap { ExternalData.file(of: values[$0]) }
        return nil
      } catch {
        // The row shares unique values with two stored rows, by different constraints.
        guard sqlite3_extended_errcode(database.handle) == Self.uniqueConstraint else { throw error }
        statement.reset()
        throw try violation(rows, key)
      }
    }
  }

  private func violation(_ rows: BatchObject, _ key: Int64) throws -> ObjectGraphError {
    var changes = StoreChanges()
    changes.inserted = [.init(entity: rows.entity, firstKey: key, values: [rows.values][...])]
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
