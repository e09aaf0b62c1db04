import GRDBSQLite

extension SQLiteStore {
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws {
    // A single statement needs no explicit transaction, unless files of large values may be written.
    guard changes.isOneRow, externalData == nil else { return try transaction { try write(changes, presentID) } }
    try writing {
      try database.checkInPlace()
      try write(changes, presentID)
    }
  }

  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64 {
    // The name is compared as well, because another process may have migrated the store and renumbered the entity.
    let select = try database.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ? AND Z_NAME = ?")
    defer { select.reset() }
    select.bind(1, Int64(entity.number))
    select.bind(2, .string(entity.name))
    guard try select.step() else {
      throw ObjectGraphError.damaged(
        file: database.file,
        "Z_PRIMARYKEY has no row for \(entity.name) with the number \(entity.number); restore a backup")
    }
    let value = select.value(0)
    select.reset()
    guard case .integer(let last) = value, last >= 0, last < Int64.max - Int64(count) else {
      throw ObjectGraphError.damaged(
        file: database.file,
        "Z_MAX of \(entity.name) in Z_PRIMARYKEY is \(value), which is not an integer in the valid range; "
          + "set it to the greatest Z_PK of \(entity.name), or restore a backup")
    }
    let update = try database.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")
    update.bind(1, last + Int64(count))
    update.bind(2, Int64(entity.number))
    update.bind(3, last)
    try update.run()
    return last + 1
  }

  func write(_ changes: StoreChanges, _ presentID: PresentID) throws {
    var conflicts = try changes.deleted.compactMap { try delete($0.id, $0.version) }
    let blocked = try changes.updated.filter { try !update($0, &conflicts) }
    guard conflicts.isEmpty else { throw ObjectGraphError.conflicts(conflicts) }
    if !blocked.isEmpty { try write(blocked: blocked, changes, presentID) }
    for rows in changes.inserted {
      let statement = try writer.statements(rows.entity).insert
      var key = rows.firstKey
      for values in rows.values {
        guard try insert(statement, rows.entity, key, values) else { throw try violation(changes, presentID) }
        key += 1
      }
    }
    for link in changes.removedLinks { try change(link, isThere: false) }
    for link in changes.addedLinks { try change(link, isThere: true) }
  }

  /// Inserts a row with the given key and values. Returns false if another row has the same unique values.
  func insert(_ statement: SQLiteStatement, _ entity: Entity, _ key: Int64, _ values: [Value]) throws -> Bool {
    let values = try externalData?.columns(values, entity.externalIndices) ?? values
    statement.bind(newKey: key, entity)
    do {
      try statement.binding(values, 0..<values.count, from: 4) { try statement.run() }
      return true
    } catch {
      let code = sqlite3_extended_errcode(database.handle)
      if [Self.takenKey, Self.takenRowID].contains(code) {
        throw ObjectGraphError.damaged(
          file: database.file,
          "\(entity.name) \(key) exists, although Z_PRIMARYKEY says that this key is still free; "
            + "set the Z_MAX of \(entity.name) there to its greatest Z_PK")
      }
      guard code == Self.uniqueConstraint else { throw error }
      return false
    }
  }

  /// Writes one changed row of a save, or adds a conflict if another writer has changed the row. Returns false if the
  /// row was not written yet, because another row has the same unique values.
  func update(_ update: StoreChanges.Update, _ conflicts: inout [MergeConflict]) throws -> Bool {
    guard let old = update.old else {
      // Another writer, too, may have inserted the deleted object again.
      guard try writer.row(update.id.key, update.id.entity) == nil else {
        conflicts.append(try conflict(update.id, 0))
        return true
      }
      let statement = try writer.statements(update.id.entity).insert
      return try insert(statement, update.id.entity, update.id.key, Array(update.new))
    }
    let statement = try writer.updateStatement(update.id.entity, update.columns)
    let count = Int32(update.columns.count)
    statement.bind(count + 1, update.new.version)
    statement.bind(count + 2, update.id.key)
    statement.bind(count + 3, old.version)
    do {
      let external = update.id.entity.externalIndices
      if let externalData, !external.isEmpty {
        let values = try externalData.columns(Array(update.new), external.filter(update.columns.contains))
        try statement.binding(values, update.columns[...], from: 1) { try statement.run() }
      } else {
        try statement.binding(update.new, update.columns[...], from: 1) { try statement.run() }
      }
    } catch {
      guard sqlite3_extended_errcode(database.handle) == Self.uniqueConstraint else { throw error }
      return false
    }
    if sqlite3_changes(database.handle) != 1 { conflicts.append(try conflict(update.id, old.version)) }
    return true
  }

  private func delete(_ id: ManagedObjectID, _ version: Int64?) throws -> MergeConflict? {
    let statement = try writer.statements(id.entity).delete
    statement.bind(1, id.key)
    if let version { statement.bind(2, version) } else { statement.bind(2, .null) }
    try statement.run()
    if sqlite3_changes(database.handle) == 1 { return nil }
    // A row that another writer has already deleted needs no change.
    let conflict = try conflict(id, version ?? 0)
    return conflict.newVersion == 0 ? nil : conflict
  }

  private func conflict(_ id: ManagedObjectID, _ version: Int64) throws -> MergeConflict {
    MergeConflict(objectID: id, oldVersion: version, persistedSnapshot: try writer.row(id.key, id.entity))
  }

  /// SQLite's result code `SQLITE_CONSTRAINT_UNIQUE`. Swift does not import this macro.
  static let uniqueConstraint = SQLITE_CONSTRAINT | (8 << 8)
  /// SQLite's result code `SQLITE_CONSTRAINT_PRIMARYKEY`. Swift does not import this macro.
  private static let takenKey = SQLITE_CONSTRAINT | (6 << 8)
  private static let takenRowID = SQLITE_CONSTRAINT | (10 << 8)

  private func change(_ link: StoreChanges.Link, isThere: Bool) throws {
    guard case .joinTable(let pairs, _) = link.relationship.storage else { return }
    let statement = try database.statement(isThere ? pairs.insertion : pairs.deletion)
    statement.bind(1, link.source)
    statement.bind(2, link.destination)
    try statement.run()
  }
}
