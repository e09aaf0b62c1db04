import Foundation
import GRDBSQLite

/// The migration of a SQLite store to a newer model, in one transaction. Objects keep their keys (Z_PK) and versions
/// (Z_OPT).
struct SQLiteMigration {
  let database: SQLiteDatabase
  let mapping: MappingModel
  let origin: StoreIdentifier

  /// Migrates the store to the new model, unless another process has already done so.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be migrated. The store is then unchanged.
  static func run(_ database: SQLiteDatabase, to model: ManagedObjectModel) throws {
    try database.transaction {
      let metadata = try database.storeMetadata()
      // Another process may have migrated the store first.
      guard metadata.versionHashes != model.versionHashes else { return }
      let source = try database.storedModel(of: metadata)
      let migration = SQLiteMigration(
        database: database, mapping: try MappingModel(inferringFrom: source, to: model, file: database.file),
        origin: StoreIdentifier(metadata.identifier))
      for index in try migration.changeTables() { try migration.create(index) }
      try migration.mapping.checkRequiredRelationships(migration.origin, lacking: migration.objects)
      try migration.numberEntities()
      try database.write(model, metadata.identifier)
    }
  }

  /// Returns the name that a new table or column has until the old ones are removed.
  static func temporaryName(_ name: String) -> String { "Z__NEW_\(name)" }

  /// Changes all tables, and returns the indexes to create. No statement reads data that an earlier one has changed.
  private func changeTables() throws -> [SQLiteIndex] {
    let old = SQLiteSchema(model: mapping.source)
    let new = SQLiteSchema(model: mapping.destination)
    let tables = mapping.entities.compactMap { entity in
      entity.source.map { SQLiteTableMigration(mapping: entity, source: $0) }
    }
    var indexes: [SQLiteIndex] = []

    // Drops indexes that collide or are no longer wanted. The indexes of dropped tables are dropped with the tables.
    for table in tables {
      let present = old.indexes(table.source)
      let wanted = new.indexes(table.destination)
      let kept = present.filter { wanted.contains($0) && table.keeps($0) }
      for index in present where !kept.contains(index) { try database.run("DROP INDEX \(index.name)") }
      indexes += wanted.filter { !kept.contains($0) }
    }

    // Copies join tables while all their sources exist, and then drops the tables that are not needed any more.
    let (added, dropped) = try copyJoinTables()
    let removed = mapping.source.entities.filter { entity in !mapping.entities.contains { $0.source === entity } }
    for table in removed.map(\.table) + dropped { try database.run("DROP TABLE \(table)") }

    // Changes tables in place. A table gets its new name only after all old names are free.
    for table in tables { try table.alter(in: database) }
    for name in added.map(\.name) + tables.filter(\.isRenamed).map(\.destination.table) {
      try database.run("ALTER TABLE \(Self.temporaryName(name)) RENAME TO \(name)")
    }
    for entity in mapping.entities where entity.source == nil {
      try database.run(new.table(entity.destination))
      indexes += new.indexes(entity.destination)
    }
    return indexes + added.map(\.index)
  }

  /// Creates the new join tables under temporary names, filled from old join tables or columns. Returns the new join
  /// tables, and the names of the join tables that are not needed any more.
  private func copyJoinTables() throws -> (added: [Relationship.JoinTable], dropped: [String]) {
    var unused = Set(mapping.source.entities.flatMap(SQLiteSchema.joinTables))
    var added: [Relationship.JoinTable] = []
    for entity in mapping.destination.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage else { continue }
        if case .joinTable(table, writes: true)? = mapping.source(of: relationship, in: entity)?.storage {
          unused.remove(table)
          continue
        }
        let name = Self.temporaryName(table.name)
        try database.run(table.creation(named: name))
        if let counterpart = mapping.counterpart(of: relationship, in: entity) {
          try database.run("INSERT INTO \(name) (\(table.own), \(table.other)) \(pairs(of: counterpart))")
        }
        added.append(table)
      }
    }
    return (added, unused.map(\.name).sorted())
  }

  private func pairs(of counterpart: MappingModel.Counterpart) -> String {
    let (relationship, entity) = (counterpart.relationship, counterpart.owner)
    let (table, own, other): (String, String, String) =
      switch relationship.storage {
      case .column(let index): (entity.table, "Z_PK", entity.columns[index])
      case .inverseColumn(let column): (mapping.source.destination(of: relationship).table, column, "Z_PK")
      case .joinTable(let pairs, _): (pairs.name, pairs.own, pairs.other)
      }
    let columns = counterpart.isReversed ? "\(other), \(own)" : "\(own), \(other)"
    return "SELECT \(columns) FROM \(table) WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL ORDER BY 1, 2"
  }

  /// Writes the new entity numbers (Z_ENT). An entity keeps its last primary key (Z_MAX); a new one starts with 0.
  private func numberEntities() throws {
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

  // MARK: - Checks of those rules of a new model that require a scan of all existing objects

  private func objects(without relationship: Relationship, of entity: Entity) throws -> [Int64] {
    let condition =
      switch relationship.storage {
      case .column(let position): "\(entity.columns[position]) IS NULL"
      case .inverseColumn(let column):
        "Z_PK NOT IN (SELECT \(column) FROM \(mapping.destination.destination(of: relationship).table) "
          + "WHERE \(column) IS NOT NULL)"
      case .joinTable(let table, _): "Z_PK NOT IN (SELECT \(table.own) FROM \(table.name))"
      }
    let statement = try SQLiteStatement(
      "SELECT Z_PK FROM \(entity.table) WHERE \(condition) ORDER BY Z_PK LIMIT \(MappingModel.greatestFailureCount)",
      database)
    return try statement.all { statement.integer(0) }
  }

  private func create(_ index: SQLiteIndex) throws {
    do {
      try database.run(index.creation)
    } catch {
      guard index.isUnique, sqlite3_errcode(database.handle) & 0xff == SQLITE_CONSTRAINT else { throw error }
      throw try conflict(index) ?? error
    }
  }

  private func conflict(_ index: SQLiteIndex) throws -> ObjectGraphError? {
    guard let entity = mapping.destination.entities.first(where: { $0.table == index.table }) else { return nil }
    let columns = index.columns.joined(separator: ", ")
    let isComplete = index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let isSame = index.columns.map { "b.\($0) = a.\($0)" }.joined(separator: " AND ")
    let values = index.columns.map { "b.\($0)" }.joined(separator: ", ")
    let statement = try SQLiteStatement(
      """
      SELECT b.Z_PK, \(values) FROM (SELECT MIN(Z_PK), \(columns) FROM \(index.table) WHERE \(isComplete) \
      GROUP BY \(columns) HAVING COUNT(*) > 1 LIMIT 1) a JOIN \(index.table) b ON \(isSame) ORDER BY 1 LIMIT 2
      """, database)
    let positions = entity.constraints.first { $0.map { entity.columns[$0] } == index.columns } ?? []
    let rows = try statement.all {
      (key: statement.integer(0), values: positions.indices.map { statement.value(Int32($0 + 1)) })
    }
    guard rows.count == 2, let key = IndexKey(rows[0].values, Array(positions.indices)) else { return nil }
    let ids = rows.map { ManagedObjectID(entity: entity, origin: origin, key: $0.key) }
    return .constraints([
      ConstraintConflict(
        constraint: positions.map { entity.propertyName(at: $0) }, firstObjectID: ids[0], otherObjectIDs: [ids[1]],
        databaseObjectID: nil, databaseSnapshot: nil, values: key)
    ])
  }
}
