import Foundation
import GRDBSQLite

/// A store in a database, laid out as Core Data does it: a save changes only the rows that changed.
final class SQLiteStore: StoreEngine {
  let identifier: StoreIdentifier
  let database: SQLiteDatabase
  let model: ManagedObjectModel
  let options: StoreOptions
  /// The files of long values, where the model has such or the store had.
  let externalData: ExternalData?
  @exclusivity(unchecked) private var entityStatements: [EntityStatements?]
  /// BEGIN IMMEDIATE and COMMIT, until the store is closed.
  private var beginning: SQLiteStatement?
  private var committing: SQLiteStatement?

  /// The statements of an entity that every read and save needs.
  final class EntityStatements {
    let row: SQLiteStatement
    let insert: SQLiteStatement
    let delete: SQLiteStatement
    @exclusivity(unchecked) var updates: [[Int]: SQLiteStatement] = [:]

    init(row: SQLiteStatement, insert: SQLiteStatement, delete: SQLiteStatement) {
      (self.row, self.insert, self.delete) = (row, insert, delete)
    }
  }

  init(at url: URL, _ model: ManagedObjectModel, _ options: StoreOptions) throws {
    self.model = model
    self.options = options
    try SQLiteFiles(url).check()
    database = try SQLiteDatabase(path: url.path, isReadOnly: options.isReadOnly, busyTimeout: options.busyTimeout)
    if let trace = options.sqlTrace { database.trace(trace) }
    identifier = StoreIdentifier(try SQLiteOpening(database, model, options).open())
    entityStatements = Array(repeating: nil, count: model.entities.count + 1)
    let files = ExternalData(beside: url, options)
    externalData = model.entities.contains { !$0.externalPlaces.isEmpty } || files.exists ? files : nil
    if !options.isReadOnly { try openExternalData() }
    beginning = try database.statement("BEGIN IMMEDIATE")
    committing = try database.statement("COMMIT")
  }

  var settings: String {
    let isExternal = model.entities.contains { !$0.externalPlaces.isEmpty }
    return pragmas + (isExternal ? " external_from=\(options.externalStorageThreshold)" : "")
  }

  private var pragmas: String {
    ["journal_mode", "synchronous", "page_size", "wal_autocheckpoint", "cache_size", "auto_vacuum", "secure_delete"]
      .map { name in
        switch try? database.value("PRAGMA \(name)") {
        case .integer(let value)?: "\(name)=\(value)"
        case .string(let value)?: "\(name)=\(value)"
        default: "\(name)=unknown"
        }
      }.joined(separator: " ")
  }

  // MARK: - Requests

  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws {
    let request = try compiled(plan, variables)
    let statement = try request.statement(request.rows, database, identifier, window, variables)
    defer { statement.reset() }
    try rows(statement, plan.entity, from: 1, body)
  }

  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64] {
    let request = try compiled(plan, variables)
    let statement = try request.statement(request.keys, database, identifier, window, variables)
    defer { statement.reset() }
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(1)) }
    return keys
  }

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int {
    let request = try compiled(plan, variables)
    let statement = try request.statement(request.count, database, identifier, window, variables)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]] {
    let request = try compiled(plan, variables)
    var columns = aggregates.map { aggregate in
      let column = "t0.\(aggregate.attribute.column)"
      return switch aggregate.function {
      case .count: "COUNT(\(column))"
      // SUM of nothing would be NULL.
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
    let sql = "SELECT \(columns.joined(separator: ", ")) \(request.body)\(tail)"
    let statement = try request.statement(sql, database, identifier, .all, variables)
    defer { statement.reset() }
    var lines: [[Value]] = []
    while try statement.step() {
      var line = groupedBy.map { [$0.type.restored(statement.value(0))] } ?? []
      for aggregate in aggregates { line.append(aggregate.restored(statement.value(Int32(line.count)))) }
      lines.append(line)
    }
    return lines
  }

  func row(_ key: Int64, _ entity: Entity) throws -> Row? {
    let statement = try statements(entity).row
    defer { statement.reset() }
    statement.bind(1, key)
    return try statement.step() ? row(statement, entity, key, from: 1) : nil
  }

  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow] {
    let columns = (["Z_PK", "Z_OPT"] + entity.columns).map { "t0.\($0)" }.joined(separator: ", ")
    let statement = try database.statement(
      "SELECT 0, \(columns) FROM \(entity.table) t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?))")
    defer { statement.reset() }
    statement.bind(1, .string(CompiledRequest.list(keys)))
    var rows: [FetchedRow] = []
    try self.rows(statement, entity, from: 1) { rows.append($0) }
    return rows
  }

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)] {
    let (table, source, destination): (String, String, String)
    switch relationship.storage {
    case .inverseColumn(let column): (table, source, destination) = (entity.table, column, "Z_PK")
    case .joinTable(let name, let own, let other, _): (table, source, destination) = (name, own, other)
    case .column: return []
    }
    let condition = keys.count == 1 ? "= ?" : "IN (SELECT value FROM json_each(?))"
    let statement = try database.statement(
      "SELECT t0.\(source), t0.\(destination) FROM \(table) t0 WHERE t0.\(source) \(condition) ORDER BY 1, 2")
    defer { statement.reset() }
    if keys.count == 1 {
      statement.bind(1, keys[0])
    } else {
      statement.bind(1, .string(CompiledRequest.list(keys)))
    }
    var pairs: [(source: Int64, destination: Int64)] = []
    while try statement.step() { pairs.append((statement.integer(0), statement.integer(1))) }
    return pairs
  }

  private func compiled(_ plan: FetchPlan, _ variables: [String: Operand]) throws -> CompiledRequest {
    if let request = plan.compiled as? CompiledRequest, request.fits(variables) { return request }
    let request = try CompiledRequest(plan: plan, variables)
    plan.compiled = request
    return request
  }

  /// Every row of a running statement, whose columns from a place on are key, version and values.
  private func rows(
    _ statement: SQLiteStatement, _ entity: Entity, from place: Int32, _ body: (FetchedRow) -> Void
  ) throws {
    while try statement.step() {
      let key = statement.integer(place)
      let row = try row(statement, entity, key, from: place + 1)
      body(FetchedRow(origin: identifier, key: key, row: row))
    }
  }

  /// The row in columns from a place on: version, values.
  private func row(
    _ statement: SQLiteStatement, _ entity: Entity, _ key: Int64, from place: Int32
  ) throws -> Row {
    let attributes = entity.attributes
    let count = entity.columns.count
    let version = statement.integer(place)
    // The greatest could not be counted up.
    var isSound = key > 0 && version > 0 && version < Int64.max
    let row = Row(version: version, count: count) { index in
      let value = statement.value(place + 1 + Int32(index))
      let type = index < attributes.count ? attributes[index].type : .integer64
      if type.accepts(value) { return value }
      if let converted = type.converted(value) { return converted }
      isSound = false
      return value
    }
    guard isSound else { throw damage(entity, key, row) }
    return entity.externalPlaces.isEmpty ? row : try self.row(row, entity, key)
  }

  /// What is wrong with a row.
  private func damage(_ entity: Entity, _ key: Int64, _ row: Row) -> ObjectGraphError {
    let object = "\(entity.name) \(key)"
    for (index, value) in row.values.enumerated() {
      let type = index < entity.attributes.count ? entity.attributes[index].type : .integer64
      guard !type.accepts(value) else { continue }
      return .damaged(
        file: database.file, "\(object): \(entity.propertyName(at: index)) holds \(value), not \(type.rawValue)")
    }
    return .damaged(file: database.file, "\(object) cannot have this key and the version \(row.version)")
  }

  // MARK: - Transactions

  func begin() throws { try beginning?.run() }

  func commit() throws {
    try externalData?.prepareCommit()
    try committing?.run()
    guard let externalData else { return }
    externalData.didCommit()
    // The save holds in any case; what cannot be removed now is found at the next opening.
    try? removeUnreferencedFiles(waits: true)
  }

  func rollback() {
    externalData?.rollback()
    // Some errors roll back by themselves. If this fails too, the journal does it when the store is next opened.
    if database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  // MARK: - Statements

  /// The statements of an entity, prepared once.
  func statements(_ entity: Entity) throws -> EntityStatements {
    if let statements = entityStatements[entity.number] { return statements }
    let columns = entity.columns
    let selected = (["Z_OPT"] + columns).map { "t0.\($0)" }.joined(separator: ", ")
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ", ")
    let statements = EntityStatements(
      row: try SQLiteStatement("SELECT 0, \(selected) FROM \(entity.table) t0 WHERE t0.Z_PK = ?", database),
      insert: try SQLiteStatement("INSERT INTO \(entity.table) (\(names)) VALUES (\(marks))", database),
      delete: try SQLiteStatement(
        "DELETE FROM \(entity.table) WHERE Z_PK = ?1 AND (Z_OPT = ?2 OR ?2 IS NULL)", database))
    entityStatements[entity.number] = statements
    return statements
  }

  /// The statement that updates some columns of a row and its version.
  func updateStatement(_ entity: Entity, _ columns: [Int]) throws -> SQLiteStatement {
    let statements = try statements(entity)
    if let statement = statements.updates[columns] { return statement }
    let assignments = (columns.map { entity.columns[$0] } + ["Z_OPT"]).map { "\($0) = ?" }
    let statement = try SQLiteStatement(
      "UPDATE \(entity.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ? AND Z_OPT = ?", database)
    statements.updates[columns] = statement
    return statement
  }

  // MARK: - The end

  func settle() throws {
    guard options.journal == .wal, !options.isReadOnly else { return }
    guard case .integer(0)? = try database.value("PRAGMA wal_checkpoint(TRUNCATE)") else {
      throw ObjectGraphError.busy(file: database.file, "the checkpoint was blocked")
    }
    try removeUnreferencedFiles(waits: false)
  }

  func close() throws {
    try? removeUnreferencedFiles(waits: false)
    // The last connection checkpoints and removes the log.
    entityStatements = []
    beginning = nil
    committing = nil
    try database.close()
  }
}

extension Entity {
  /// The name of the property that is at a place of a row.
  func propertyName(at place: Int) -> String {
    place < attributes.count ? attributes[place].name : toOnes[place - attributes.count].name
  }
}
