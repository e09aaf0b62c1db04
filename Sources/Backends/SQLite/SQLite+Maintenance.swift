import GRDBSQLite
import StorageContract

extension SQLiteBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try transacting {
      try withConnection { connection in
        try withStatement(.put, collection, connection) { statement in
          try records.withUnsafeBufferPointer { records in
            for index in records.indices {
              guard row.insert(records.baseAddress.unsafelyUnwrapped + index, statement) == SQLITE_DONE else {
                throw connection.error()
              }
              _ = sqlite.pointee.reset(statement)
            }
          }
        }
      }
    }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try withStatement(SQLiteQuery(.deletion, predicate, in: collection.checked(collectionCount))) { try $1.run($0) }
  }
}

extension SQLiteBackend: Compacting {
  func compact() throws {
    _ = try execute("VACUUM")
    // In WAL mode, the file shrinks only at the checkpoint.
    try settle()
  }
}

extension SQLiteBackend: BackingUp {
  static let copiesInSteps = true

  static func obstacleToCompactCopies(_ options: Options) -> String? {
    SQLiteAccess.age(options, before: 27, "VACUUM INTO")
  }

  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    let target = "\(directory)/\(Self.file)"
    try withConnection { connection in
      if isCompact { return try connection.execute("VACUUM INTO '\(target.replacing("'", with: "''"))'") }
      let copy = try SQLiteConnection(path: target, by: access)
      if let synchronous = mode.synchronous { try copy.execute("PRAGMA synchronous=\(synchronous.rawValue)") }
      try connection.copy(into: copy, between: saves)
      try copy.close()
    }
  }
}

extension SQLiteBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: path, by: access) }
}

extension SQLiteBackend: Migrating {
  static var rebuildsTables: Bool { true }

  static func obstacleToMigrations(_ options: Options) -> String? {
    SQLiteAccess.age(options, before: 35, "ALTER TABLE DROP COLUMN")
  }

  func change(_ change: SchemaChange, in collection: CollectionID) throws {
    func apply() throws { try schema.apply(change, in: collection, texts: texts) { _ = try execute($0) } }
    try change.isOneStatement ? apply() : transacting { try apply() }
  }

  func attributes(in collection: CollectionID) throws -> Set<String> {
    Set(try texts(schema.attributeNames(collection.checked(collectionCount))))
  }

  private func texts(_ sql: String) throws -> [String] {
    var texts: [String] = []
    try forEachRow(sql, []) { statement in
      texts.append(String(decoding: row.bytes(statement, 0), as: UTF8.self))
      return true
    }
    return texts
  }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    let column = Int32(schema.keys.columns.count)
    try forEachRow(schema.scan(with: attribute, in: collection), [keys.lowerBound, keys.upperBound]) { statement in
      let value = String(decoding: row.bytes(statement, column), as: UTF8.self)
      return try row.withView(statement) { try body($0, value) }
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    try withStatement(schema.update(of: attribute, in: collection), [key]) { statement, connection in
      row.bindCopy(of: value, to: statement, 2)
      return try connection.run(statement) > 0
    }
  }
}
