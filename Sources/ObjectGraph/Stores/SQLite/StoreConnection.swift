import Foundation

/// A connection to a store's database, with the prepared statements of each entity, for one thread at a time.
final class StoreConnection {
  let database: SQLiteDatabase
  let identifier: StoreIdentifier
  let externalData: ExternalData?
  /// The thread that used the connection last, to which the pool gives the connection again if possible.
  var thread = pthread_self()
  @exclusivity(unchecked) private var entityStatements: [EntityStatements?]

  /// The most frequently used prepared statements of one entity.
  final class EntityStatements {
    let row: SQLiteStatement
    let insert: SQLiteStatement
    let delete: SQLiteStatement
    @exclusivity(unchecked) var updates: [[Int]: SQLiteStatement] = [:]

    init(_ entity: Entity, _ database: SQLiteDatabase) throws {
      let selected = (["Z_OPT"] + entity.columns).map { "t0.\($0)" }.joined(separator: ", ")
      row = try SQLiteStatement("SELECT 0, \(selected) FROM \(entity.table) t0 WHERE t0.Z_PK = ?", database)
      insert = try SQLiteStatement(entity.insertion, database)
      delete = try SQLiteStatement(
        "DELETE FROM \(entity.table) WHERE Z_PK = ?1 AND (Z_OPT = ?2 OR ?2 IS NULL)", database)
    }
  }

  init(
    _ database: SQLiteDatabase, _ identifier: StoreIdentifier, _ model: ManagedObjectModel,
    _ externalData: ExternalData?
  ) throws {
    try externalData?.watch(database, model)
    database.guardModel(model.versionHashes)
    self.database = database
    self.externalData = externalData
    self.identifier = identifier
    entityStatements = Array(repeating: nil, count: model.entities.count + 1)
  }

  func close() throws {
    entityStatements = []
    try database.close()
  }

  // MARK: - Transactions

  func rollback() {
    // After some errors, SQLite has already rolled back. If a rollback fails, the pool closes the connection, which
    // discards the changes.
    if database.isInTransaction { try? database.statement("ROLLBACK").run() }
  }

  func beginReading() throws {
    try database.statement("BEGIN").run()
    // SQLite starts a transaction only with its first read.
    try database.statement("SELECT 0 FROM Z_METADATA").run()
  }

  // MARK: - Statements

  func statements(_ entity: Entity) throws -> EntityStatements {
    if let statements = entityStatements[entity.number] { return statements }
    let statements = try EntityStatements(entity, database)
    entityStatements[entity.number] = statements
    return statements
  }

  func updateStatement(_ entity: Entity, _ columns: [Int]) throws -> SQLiteStatement {
    let statements = try statements(entity)
    if let statement = statements.updates[columns] { return statement }
    let assignments = (columns.map { entity.columns[$0] } + ["Z_OPT"]).map { "\($0) = ?" }
    let statement = try SQLiteStatement(
      "UPDATE \(entity.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ? AND Z_OPT = ?", database)
    statements.updates[columns] = statement
    return statement
  }
}
