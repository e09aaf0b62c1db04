import Foundation
import GRDBSQLite

/// The migration of a store of an older model, in place and in one transaction. If the process dies meanwhile, the
/// store is unchanged.
///
/// Keys (Z_PK), versions (Z_OPT) and the last keys used (Z_MAX) stay the same. Entities are renumbered (Z_ENT) in the
/// order of their names, and join tables renamed accordingly.
struct SQLiteMigration {
  let database: SQLiteDatabase
  let model: ManagedObjectModel

  init(_ database: SQLiteDatabase, _ model: ManagedObjectModel) {
    self.database = database
    self.model = model
  }

  /// - Throws: ``ObjectGraphError/cannotInferMapping(file:_:)``; ``ObjectGraphError/validation(_:)`` or
  ///   ``ObjectGraphError/constraints(_:)`` if objects lack a relationship that becomes required or share values that
  ///   become unique; others if the store cannot be written. The store is then unchanged.
  func run() throws {
    try database.transaction {
      var metadata = try database.storeMetadata()
      // Another process may have migrated it first.
      guard metadata.versionHashes != model.versionHashes else { return }
      let source = try database.storedModel(of: metadata)
      let mapping = try MappingModel(inferringFrom: source, to: model, file: database.file)
      let plan = try SQLiteMigrationPlan(mapping, isLiteral: isLiteral)
      for step in plan.steps { try database.run(step.sql, step.values) }
      let check = SQLiteMigrationCheck(database, mapping, StoreIdentifier(metadata.identifier))
      for index in plan.indexes { try create(index, check) }
      try check.checkRequiredRelationships()
      try number(mapping)
      metadata.versionHashes = model.versionHashes
      try database.write(metadata, model)
    }
  }

  private func isLiteral(_ text: String, _ value: Value) throws -> Bool {
    try database.value("SELECT \(text)")?.isSame(as: value) ?? false
  }

  private func create(_ index: SQLiteIndex, _ check: SQLiteMigrationCheck) throws {
    do {
      try database.run(index.creation)
    } catch {
      guard index.isUnique, sqlite3_errcode(database.handle) & 0xff == SQLITE_CONSTRAINT else { throw error }
      throw try check.conflict(index) ?? error
    }
  }

  /// Writes the numbers of the entities, with the last keys of their objects.
  private func number(_ mapping: MappingModel) throws {
    let last = try mapping.entities.map { entity in
      guard let source = entity.source else { return Int64(0) }
      let found = try database.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(source.number)")
      guard case .integer(let last)? = found else {
        throw ObjectGraphError.damaged(file: database.file, "Z_PRIMARYKEY has no line for \(source.name)")
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

/// The statements of a migration, in an order in which no names collide and nothing is read after it has changed.
struct SQLiteMigrationPlan {
  private(set) var steps: [SQLiteStep] = []
  /// The indexes to create at the end.
  private(set) var indexes: [SQLiteIndex] = []

  init(_ mapping: MappingModel, isLiteral: (String, Value) throws -> Bool) throws {
    let old = SQLiteSchema(model: mapping.source)
    let new = SQLiteSchema(model: mapping.destination)
    let tables = mapping.entities.compactMap { entity in
      entity.source.map { SQLiteTableMigration(entity, from: $0) }
    }
    let pairs = SQLiteJoinTableMigration(mapping)
    var renames = pairs.renames

    // Indexes that collide or are no longer wanted. The indexes of dropped tables are dropped with them.
    for table in tables {
      let present = old.indexes(table.source)
      let wanted = new.indexes(table.destination)
      let kept = present.filter { wanted.contains($0) && table.keeps($0) }
      if !table.isCopied {
        steps += present.filter { !kept.contains($0) }.map { SQLiteStep("DROP INDEX \($0.name)") }
      }
      indexes += wanted.filter { !kept.contains($0) }
    }
    steps += pairs.renamed.map { SQLiteStep("DROP INDEX \($0.from.index.name)") }

    // Copies, while all their sources exist.
    steps += pairs.copies
    for table in tables where table.isCopied { steps += table.copy(new) }

    // The tables and columns to remove.
    let gone = mapping.removedEntities.map(\.table) + tables.filter(\.isCopied).map(\.source.table) + pairs.dropped
    steps += gone.map { SQLiteStep("DROP TABLE \($0)") }

    // The changes in place. No table gets its new name before all old names are free.
    for table in tables {
      if !table.isCopied { steps += try table.alter(isLiteral: isLiteral) }
      if table.isReplaced { renames.append((table.temporaryName, table.destination.table)) }
    }
    steps += pairs.alterations
    steps += renames.map { SQLiteStep("ALTER TABLE \($0.from) RENAME TO \($0.to)") }

    // The new tables and columns.
    for entity in mapping.entities where entity.source == nil {
      steps.append(SQLiteStep(new.table(entity.destination, named: entity.destination.table)))
      indexes += new.indexes(entity.destination)
    }
    indexes += pairs.indexes
  }
}
