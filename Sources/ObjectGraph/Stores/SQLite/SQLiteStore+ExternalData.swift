import GRDBSQLite

extension ExternalData {
  /// Creates temporary triggers that pass the names of the files of deleted or replaced large values to ``dropped``.
  func watch(_ database: SQLiteDatabase, _ model: ManagedObjectModel) throws {
    sqlite3_create_function_v2(
      database.handle, "OG_DROPPED", 1, SQLITE_UTF8, Unmanaged.passUnretained(self).toOpaque(),
      { context, _, arguments in
        guard let pointer = sqlite3_user_data(context), let bytes = sqlite3_value_blob(arguments?[0]) else { return }
        let count = Int(sqlite3_value_bytes(arguments?[0]))
        let column = Value.binary([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        guard let name = ExternalData.file(of: column) else { return }
        Unmanaged<ExternalData>.fromOpaque(pointer).takeUnretainedValue().dropped.append(name)
      }, nil, nil, nil)
    for (index, column) in model.externalColumns.enumerated() {
      let condition = "substr(old.\(column.name), 1, 1) = x'02'"
      try database.execute(
        """
        CREATE TEMP TRIGGER OG_DELETED_\(index) AFTER DELETE ON main.\(column.table) WHEN \(condition) \
        BEGIN SELECT OG_DROPPED(old.\(column.name)); END;
        CREATE TEMP TRIGGER OG_UPDATED_\(index) AFTER UPDATE OF \(column.name) ON main.\(column.table) \
        WHEN \(condition) AND new.\(column.name) IS NOT old.\(column.name) \
        BEGIN SELECT OG_DROPPED(old.\(column.name)); END
        """)
    }
  }
}

extension ManagedObjectModel {
  fileprivate var externalColumns: [(table: String, name: String)] {
    entities.flatMap { entity in entity.externalIndices.map { (entity.table, entity.columns[$0]) } }
  }
}

extension SQLiteStore {
  /// The minimum number of unneeded files with large values at which a commit removes these files, after a checkpoint
  /// of the write-ahead log.
  static let mostUnreferenced = 32

  /// Removes files of large values to which no row refers. A killed process may have left such files.
  func removeLostFiles() throws {
    guard let externalData, externalData.exists else { return }
    // The candidates include the files of a running save.
    let candidates = externalData.names().subtracting(try referencedFiles())
    guard !candidates.isEmpty, try isCheckpointed() else { return }
    // The transaction starts after any running save. Candidates that then have no reference can be removed.
    let referenced = try database.transaction { try referencedFiles() }
    externalData.remove(candidates.subtracting(referenced))
  }

  private func referencedFiles() throws -> Set<String> {
    var names: Set<String> = []
    for column in model.externalColumns {
      let statement = try SQLiteStatement(
        "SELECT \(column.name) FROM \(column.table) WHERE substr(\(column.name), 1, 1) = x'02'", database)
      while try statement.step() {
        if let name = ExternalData.file(of: statement.value(0)) { names.insert(name) }
      }
    }
    return names
  }

  /// Runs a checkpoint of the write-ahead log. Returns whether the database file now has all commits.
  private func isCheckpointed() throws -> Bool {
    var (frames, done): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(database.handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &done)
    return code == SQLITE_OK && frames == done
  }

  /// Removes the files of large values that no state of the store needs any more.
  ///
  /// - Parameter minimum: The number of such files below which nothing is done.
  func removeUnreferencedFiles(minimum: Int) throws {
    guard let externalData, externalData.unreferenced.count >= minimum, try isCheckpointed() else { return }
    externalData.remove(externalData.unreferenced)
    externalData.unreferenced = []
  }
}
