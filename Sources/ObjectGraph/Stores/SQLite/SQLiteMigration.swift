import Foundation
import GRDBSQLite

/// The migration of a SQLite store to a newer model, in one transaction. Objects keep their keys (Z_PK) and versions
/// (Z_OPT).
struct SQLiteMigration {
  let database: SQLiteDatabase
  let model: ManagedObjectModel

  /// Migrates the store to the new model, unless another process has already done so.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be migrated. The store is then unchanged.
  func run() throws {
    try database.transaction {
      let metadata = try database.storeMetadata()
      // Another process may have migrated the store first.
      guard metadata.versionHashes != model.versionHashes else { return }
      let source = try database.storedModel(of: metadata)
      let mapping = try MappingModel(inferringFrom: source, to: model, file: database.file)
      let plan = try SQLiteMigrationPlan(mapping, database)
      for step in plan.steps { try database.run(step.sql, step.values) }
      let origin = StoreIdentifier(metadata.identifier)
      for index in plan.indexes { try create(index, mapping, origin) }
      try mapping.checkRequiredRelationships(origin) { try objects(of: $1, without: $0, mapping) }
      try number(mapping)
      try database.write(model, metadata.identifier)
    }
  }

  private func create(_ index: SQLiteIndex, _ mapping: MappingModel, _ origin: StoreIdentifier) throws {
    do {
      try database.run(index.creation)
    } catch {
      guard index.isUnique, sqlite3_errcode(database.handle) & 0xff == SQLITE_CONSTRAINT else { throw error }
      throw try conflict(index, mapping, origin) ?? error
    }
  }

  /// Writes the new entity numbers (Z_ENT) to the table `Z_PRIMARYKEY`. An entity keeps its last primary key (Z_MAX). A
  /// new entity starts with 0.
  private func number(_ mapping: MappingModel) throws {
    let last = try mapping.entities.map { entity in
      guard let source = entity.source else { return Int64(0) }
      let found = try database.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(source.number)")
      guard case .integer(let last)? = found else {
        throw ObjectGraphError.damaged(
          file: database.file, "Z_PRIMARYKEY has no integer Z_MAX for the entity \(source.name); restore a backup")
      }
      return last
    }
    try database.run("DELETE FROM Z_PRIMARYKEY")
    for (entity, last) in zip(mapping.destination.entities, last) {
      try database.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
        [.integer(Int64(entity.number)), .string(entity.name), .integer(last)])
    }
  }
}

// Checks of those rules of a new model that require a scan of all existing objects.
extension SQLiteMigration {
  private func objects(
    of entity: Entity, without relationship: Relationship, _ mapping: MappingModel
  ) throws -> [Int64] {
    let condition =
      switch relationship.storage {
      case .column(let position): "\(entity.columns[position]) IS NULL"
      case .inverseColumn(let column):
        "Z_PK NOT IN (SELECT \(column) FROM \(mapping.destination.destination(of: relationship).table) "
          + "WHERE \(column) IS NOT NULL)"
      case .joinTable(let table, _): "Z_PK NOT IN (SELECT \(table.own) FROM \(table.name))"
      }
    return try database.integers(
      "SELECT Z_PK FROM \(entity.table) WHERE \(condition) ORDER BY Z_PK LIMIT \(MappingModel.greatestFailureCount)")
  }

  private func conflict(
    _ index: SQLiteIndex, _ mapping: MappingModel, _ origin: StoreIdentifier
  ) throws -> ObjectGraphError? {
    guard let entity = mapping.destination.entities.first(where: { $0.table == index.table }) else { return nil }
    let columns = index.columns.joined(separator: ", ")
    let isComplete = index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let isSame = index.columns.map { "b.\($0) = a.\($0)" }.joined(separator: " AND ")
    let keys = try database.integers(
      """
      SELECT b.Z_PK FROM (SELECT MIN(Z_PK), \(columns) FROM \(index.table) WHERE \(isComplete) \
      GROUP BY \(columns) HAVING COUNT(*) > 1 LIMIT 1) a JOIN \(index.table) b ON \(isSame) ORDER BY 1 LIMIT 2
      """)
    guard keys.count == 2 else { return nil }
    let positions = entity.constraints.first { $0.map { entity.columns[$0] } == index.columns } ?? []
    let statement = try SQLiteStatement("SELECT \(columns) FROM \(index.table) WHERE Z_PK = \(keys[0])", database)
    guard try statement.step() else { return nil }
    let values = positions.indices.map { statement.value(Int32($0)) }
    guard let key = IndexKey(values, Array(positions.indices)) else { return nil }
    return .constraints([
      ConstraintConflict(
        constraint: positions.map { entity.propertyName(at: $0) },
        objectID: ManagedObjectID(entity: entity, origin: origin, key: keys[0]),
        others: [ManagedObjectID(entity: entity, origin: origin, key: keys[1])], values: key)
    ])
  }
}

extension SQLiteDatabase {
  fileprivate func integers(_ sql: String) throws -> [Int64] {
    let statement = try SQLiteStatement(sql, self)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.integer(0)) }
    return numbers
  }
}

/// The SQL steps of a store's migration, in order. No step reads data that an earlier step has changed.
struct SQLiteMigrationPlan {
  private(set) var steps: [SQLiteStep] = []
  private(set) var indexes: [SQLiteIndex] = []

  init(_ mapping: MappingModel, _ database: SQLiteDatabase) throws {
    let old = SQLiteSchema(model: mapping.source)
    let new = SQLiteSchema(model: mapping.destination)
    let tables = mapping.entities.compactMap { entity in
      entity.source.map { SQLiteTableMigration(entity, from: $0) }
    }
    let pairs = SQLiteJoinTableMigration(mapping)
    var renames = pairs.renames

    // Drops indexes that collide or are no longer wanted. The indexes of dropped tables are dropped with the tables.
    for table in tables {
      let present = old.indexes(table.source)
      let wanted = new.indexes(table.destination)
      let kept = present.filter { wanted.contains($0) && table.keeps($0) }
      steps += present.filter { !kept.contains($0) }.map { SQLiteStep("DROP INDEX \($0.name)") }
      indexes += wanted.filter { !kept.contains($0) }
    }

    // Copies join tables while all their sources exist, and then drops the tables that are not needed any more.
    steps += pairs.copies
    steps += (mapping.removedEntities.map(\.table) + pairs.dropped).map { SQLiteStep("DROP TABLE \($0)") }

    // Changes tables in place. A table gets its new name only after all old names are free.
    for table in tables {
      steps += try table.alter(in: database)
      if table.isRenamed { renames.append((table.temporaryName, table.destination.table)) }
    }
    steps += renames.map { SQLiteStep("ALTER TABLE \($0.from) RENAME TO \($0.to)") }

    for entity in mapping.entities where entity.source == nil {
      steps.append(SQLiteStep(new.table(entity.destination, named: entity.destination.table)))
      indexes += new.indexes(entity.destination)
    }
    indexes += pairs.indexes
  }
}
