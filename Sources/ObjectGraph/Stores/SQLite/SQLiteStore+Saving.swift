import GRDBSQLite

// What a save writes, and what keeps it from being written.

extension SQLiteStore {
  func save(_ changes: StoreChanges) throws {
    // A statement is a transaction by itself. Files of values come and go with a transaction.
    try changes.isOneRow && externalData == nil ? write(changes) : saveInTransaction(changes)
  }

  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64 {
    // With its name, because another process may have migrated the store and numbered the entities anew.
    let select = try database.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ? AND Z_NAME = ?")
    defer { select.reset() }
    select.bind(1, Int64(entity.number))
    select.bind(2, .string(entity.name))
    guard try select.step() else {
      throw ObjectGraphError.damaged(
        file: database.file, "Z_PRIMARYKEY has no line for \(entity.name) with the number \(entity.number)")
    }
    guard case .integer(let last) = select.value(0), last >= 0, last < Int64.max - Int64(count) else {
      throw ObjectGraphError.damaged(
        file: database.file, "Z_PRIMARYKEY says that the last key of \(entity.name) was \(select.value(0))")
    }
    let update = try database.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    update.bind(1, last + Int64(count))
    update.bind(2, Int64(entity.number))
    try update.run()
    return last + 1
  }

  func write(_ changes: StoreChanges) throws {
    var conflicts: [MergeConflict] = []
    for (id, version) in changes.deleted {
      if let conflict = try delete(id, version) { conflicts.append(conflict) }
    }
    for update in changes.updated {
      if let conflict = try self.update(update) { conflicts.append(conflict) }
    }
    guard conflicts.isEmpty else { throw ObjectGraphError.conflicts(conflicts) }
    for rows in changes.inserted {
      let statement = try statements(rows.entity).insert
      var key = rows.firstKey
      for values in rows.values {
        try insert(statement, rows.entity, key, values)
        key += 1
      }
    }
    for link in changes.removedLinks { try change(link, "DELETE FROM", where: true) }
    for link in changes.addedLinks { try change(link, "INSERT OR IGNORE INTO", where: false) }
  }

  func insert<Values: RandomAccessCollection<Value>>(
    _ statement: SQLiteStatement, _ entity: Entity, _ key: Int64, _ values: Values
  ) throws where Values.Index == Int {
    guard let externalData, !entity.externalPlaces.isEmpty else {
      return try insert(columns: values, statement, entity, key)
    }
    try insert(columns: externalData.columns(Array(values), entity.externalPlaces), statement, entity, key)
  }

  private func insert<Values: RandomAccessCollection<Value>>(
    columns values: Values, _ statement: SQLiteStatement, _ entity: Entity, _ key: Int64
  ) throws where Values.Index == Int {
    statement.bind(1, key)
    statement.bind(2, Int64(entity.number))
    statement.bind(3, Int64(1))
    do {
      try statement.binding(values, 0..<values.count, from: 4) { try statement.run() }
    } catch {
      if [Self.takenKey, Self.takenRowID].contains(sqlite3_extended_errcode(database.handle)) {
        throw ObjectGraphError.damaged(
          file: database.file, "\(entity.name) \(key) is there, though Z_PRIMARYKEY has that key as free")
      }
      let id = ManagedObjectID(entity: entity, origin: identifier, key: key)
      throw try constraintConflict(id, Array(values)) ?? error
    }
  }

  private func update(_ update: StoreChanges.Update) throws -> MergeConflict? {
    guard let old = update.old else {
      // Somebody else may have brought it back, too.
      if try row(update.id.key, update.id.entity) != nil { return try conflict(update.id, 0) }
      try insert(statements(update.id.entity).insert, update.id.entity, update.id.key, update.new.values)
      return nil
    }
    let statement = try updateStatement(update.id.entity, update.columns)
    let count = Int32(update.columns.count)
    statement.bind(count + 1, update.new.version)
    statement.bind(count + 2, update.id.key)
    statement.bind(count + 3, old.version)
    do {
      let external = update.id.entity.externalPlaces
      if let externalData, !external.isEmpty {
        let values = try externalData.columns(Array(update.new.values), external.filter(update.columns.contains))
        try statement.binding(values, update.columns[...], from: 1) { try statement.run() }
      } else {
        try statement.binding(update.new.values, update.columns[...], from: 1) { try statement.run() }
      }
    } catch {
      throw try constraintConflict(update.id, Array(update.new.values)) ?? error
    }
    return sqlite3_changes(database.handle) == 1 ? nil : try conflict(update.id, old.version)
  }

  private func delete(_ id: ManagedObjectID, _ version: Int64?) throws -> MergeConflict? {
    let statement = try statements(id.entity).delete
    statement.bind(1, id.key)
    if let version { statement.bind(2, version) } else { statement.bind(2, .null) }
    try statement.run()
    if sqlite3_changes(database.handle) == 1 { return nil }
    // What somebody else has deleted already is as it should be.
    let conflict = try conflict(id, version ?? 0)
    return conflict.newVersion == 0 ? nil : conflict
  }

  private func conflict(_ id: ManagedObjectID, _ version: Int64) throws -> MergeConflict {
    let stored = try row(id.key, id.entity)
    return MergeConflict(objectID: id, oldVersion: version, newVersion: stored?.version ?? 0, storedRow: stored)
  }

  /// SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not see.
  static let uniqueConstraint = SQLITE_CONSTRAINT | (8 << 8)
  /// SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID.
  private static let takenKey = SQLITE_CONSTRAINT | (6 << 8)
  private static let takenRowID = SQLITE_CONSTRAINT | (10 << 8)

  /// The constraint that a row breaks, or nil if the last error was another one.
  func constraintConflict(_ id: ManagedObjectID, _ values: [Value]) throws -> ObjectGraphError? {
    guard sqlite3_extended_errcode(database.handle) == Self.uniqueConstraint else { return nil }
    let entity = id.entity
    for constraint in entity.constraints {
      let condition = constraint.map { "\(entity.columns[$0]) = ?" }.joined(separator: " AND ")
      let statement = try SQLiteStatement(
        "SELECT Z_PK FROM \(entity.table) WHERE \(condition) AND Z_PK <> ?", database)
      for (index, place) in constraint.enumerated() { statement.bind(Int32(index + 1), values[place]) }
      statement.bind(Int32(constraint.count + 1), id.key)
      guard try statement.step() else { continue }
      let key = statement.integer(0)
      let other = ManagedObjectID(entity: entity, origin: identifier, key: key)
      return .constraints([
        ConstraintConflict(
          constraint: constraint.map { entity.propertyName(at: $0) }, entity: entity.name, objectID: id,
          conflictingID: other, storedRow: try self.row(key, entity))
      ])
    }
    return nil
  }

  private func change(_ link: StoreChanges.Link, _ verb: String, where isCondition: Bool) throws {
    guard case .joinTable(let name, let own, let other, _) = link.relationship.storage else { return }
    let sql =
      isCondition
      ? "\(verb) \(name) WHERE \(own) = ? AND \(other) = ?" : "\(verb) \(name) (\(own), \(other)) VALUES (?, ?)"
    let statement = try database.statement(sql)
    statement.bind(1, link.source)
    statement.bind(2, link.destination)
    try statement.run()
  }
}
