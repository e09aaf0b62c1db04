extension StoreConnection: StoreReader {
  func fetch(_ request: StoreRequest, _ body: (FetchedRow) -> Void) throws {
    let compiled = try compiled(request)
    let statement = try compiled.statement(compiled.rows, database, identifier, request)
    defer { statement.reset() }
    try rows(statement, request.entity, body)
  }

  func keys(_ request: StoreRequest) throws -> [Int64] {
    let compiled = try compiled(request)
    let statement = try compiled.statement(compiled.keys, database, identifier, request)
    defer { statement.reset() }
    return try statement.all { statement.integer(1) }
  }

  func count(_ request: StoreRequest) throws -> Int {
    let compiled = try compiled(request)
    let statement = try compiled.statement(compiled.count, database, identifier, request)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  func aggregate(
    _ request: StoreRequest, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?
  ) throws -> [[Value]] {
    let compiled = try compiled(request)
    var columns = aggregates.map { aggregate in
      let column = "t0.\(aggregate.attribute.column)"
      return switch aggregate.function {
      case .count: "COUNT(\(column))"
      // SUM of no values would be NULL.
      case .sum: "COALESCE(SUM(\(column)), 0)"
      case .average: "AVG(\(column))"
      case .minimum: "MIN(\(column))"
      case .maximum: "MAX(\(column))"
      }
    }
    var tail = " LIMIT ? OFFSET ?"
    if let groupedBy {
      columns.insert("t0.\(groupedBy.column)", at: 0)
      tail = " GROUP BY t0.\(groupedBy.column) ORDER BY t0.\(groupedBy.column)" + tail
    }
    let sql = "SELECT \(columns.joined(separator: ", ")) \(compiled.body)\(tail)"
    let statement = try compiled.statement(sql, database, identifier, request)
    defer { statement.reset() }
    return try statement.all {
      var line = groupedBy.map { [$0.type.restored(statement.value(0))] } ?? []
      for aggregate in aggregates { line.append(aggregate.restored(statement.value(Int32(line.count)))) }
      return line
    }
  }

  func row(_ key: Int64, _ entity: Entity) throws -> Row? {
    let statement = try statements(entity).row
    defer { statement.reset() }
    statement.bind(1, key)
    return try statement.step() ? row(statement, entity, key, from: 1) : nil
  }

  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow] {
    try rows(entity, "WHERE t0.Z_PK IN (SELECT value FROM json_each(?))", keys)
  }

  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow] {
    guard case .column(let columnIndex) = relationship.storage else { return [] }
    return try rows(
      entity, "WHERE t0.\(entity.columns[columnIndex]) IN (SELECT value FROM json_each(?)) ORDER BY t0.Z_PK", keys)
  }

  private func rows(_ entity: Entity, _ condition: String, _ keys: [Int64]) throws -> [FetchedRow] {
    let statement = try database.statement("SELECT 0, \(entity.selection) FROM \(entity.table) t0 \(condition)")
    defer { statement.reset() }
    statement.bind(1, .string(CompiledRequest.list(keys)))
    var rows: [FetchedRow] = []
    try self.rows(statement, entity) { rows.append($0) }
    return rows
  }

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)] {
    let (table, source, destination): (String, String, String)
    switch relationship.storage {
    case .inverseColumn(let column): (table, source, destination) = (entity.table, column, "Z_PK")
    case .joinTable(let pairs, _): (table, source, destination) = (pairs.name, pairs.own, pairs.other)
    case .column: return []
    }
    let condition = keys.count == 1 ? "= ?" : "IN (SELECT value FROM json_each(?))"
    let statement = try database.statement(
      "SELECT t0.\(source), t0.\(destination) FROM \(table) t0 WHERE t0.\(source) \(condition) ORDER BY 1, 2")
    defer { statement.reset() }
    statement.bind(1, keys.count == 1 ? .integer(keys[0]) : .string(CompiledRequest.list(keys)))
    return try statement.all { (statement.integer(0), statement.integer(1)) }
  }

  private func compiled(_ request: StoreRequest) throws -> CompiledRequest {
    if let compiled = request.plan.compiled as? CompiledRequest, compiled.fits(request.variables) { return compiled }
    let compiled = try CompiledRequest(request)
    request.plan.compiled = compiled
    return compiled
  }

  /// Passes each row of a running statement to a closure. Counted from 0, column 1 has the primary key, column 2 the
  /// version, and the next columns the values.
  private func rows(_ statement: SQLiteStatement, _ entity: Entity, _ body: (FetchedRow) -> Void) throws {
    while try statement.step() {
      let key = statement.integer(1)
      let row = try row(statement, entity, key, from: 2)
      body(FetchedRow(origin: identifier, key: key, row: row))
    }
  }

  /// Returns the current row of a running statement. Column `firstIndex` has the version; the values follow.
  func row(_ statement: SQLiteStatement, _ entity: Entity, _ key: Int64, from firstIndex: Int32) throws -> Row {
    let attributes = entity.attributes
    let count = entity.columns.count
    let version = statement.integer(firstIndex)
    // `Int64.max` is invalid as a version, because a save could not increment it.
    var isSound = key > 0 && version > 0 && version < Int64.max
    let row = Row(version: version, count: count) { index in
      let value = statement.value(firstIndex + 1 + Int32(index))
      let type = index < attributes.count ? attributes[index].type : .integer64
      if type.accepts(value) { return value }
      if let converted = type.converted(value) { return converted }
      isSound = false
      return value
    }
    guard isSound else { throw damage(entity, key, row) }
    return entity.externalIndices.isEmpty ? row : try withExternalValues(row, entity, key)
  }

  private func withExternalValues(_ row: Row, _ entity: Entity, _ key: Int64) throws -> Row {
    guard let externalData else { return row }
    var values = Array(row)
    for index in entity.externalIndices {
      values[index] = try externalData.value(of: values[index], "\(entity.name) \(key).\(entity.columns[index])")
    }
    return Row(version: row.version, values: values)
  }

  private func damage(_ entity: Entity, _ key: Int64, _ row: Row) -> ObjectGraphError {
    let object = "\(entity.name) \(key)"
    let types = entity.attributeTypes + entity.toOnes.map { _ in .integer64 }
    for (index, type) in types.enumerated() where !type.accepts(row[index]) {
      return .damaged(
        file: database.file, "\(object): \(entity.propertyName(at: index)) holds \(row[index]), not \(type.rawValue)")
    }
    return .damaged(file: database.file, "\(object) cannot have this key and the version \(row.version)")
  }
}

extension Entity {
  var selection: String { (["Z_PK", "Z_OPT"] + columns).map { "t0.\($0)" }.joined(separator: ", ") }

  func propertyName(at index: Int) -> String {
    index < attributes.count ? attributes[index].name : toOnes[index - attributes.count].name
  }
}
