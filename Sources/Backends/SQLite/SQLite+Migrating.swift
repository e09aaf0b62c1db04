import GRDBSQLite
import StorageContract

/// Attributes as columns. Adding one changes the schema but no rows.
extension SQLiteBackend: Migrating {
  private func column(_ attribute: AddedAttribute, _ collection: CollectionID) throws -> SQLiteAttribute {
    SQLiteAttribute(attribute, table: schema.tables[try collection.checked(schema.tables.count)])
  }

  func add(_ attribute: AddedAttribute, in collection: CollectionID) throws {
    let column = try column(attribute, collection)
    guard try !isThere(column) else { return }
    try withStatement(column.addition, []) { statement, connection in
      guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error() }
    }
  }

  private func isThere(_ column: SQLiteAttribute) throws -> Bool {
    try withStatement(column.search, []) { statement, connection in
      switch sqlite3_step(statement) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      default: throw connection.error()
      }
    }
  }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    let sql = try column(attribute, collection).scan
    try withStatement(sql, [keys.lowerBound, keys.upperBound]) { statement, connection in
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW:
          let view = SQLiteRow.view(statement, sqlite3_column_int64(statement, 0))
          let value = String(decoding: SQLiteRow.bytes(statement, SQLiteAttribute.place), as: UTF8.self)
          guard try body(view, value) else { return }
        case SQLITE_DONE: return
        default: throw connection.error()
        }
      }
    }
  }

  func set(
    _ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID
  ) throws -> Bool {
    try withStatement(column(attribute, collection).update, [key]) { statement, connection in
      let bytes = Array(value.utf8)
      // SQLITE_TRANSIENT, a macro that Swift does not import. It makes the engine copy the value.
      let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      guard sqlite3_bind_blob(statement, 2, bytes, Int32(bytes.count), copies) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_DONE
      else { throw connection.error() }
      return sqlite3_changes(connection.handle) > 0
    }
  }
}
