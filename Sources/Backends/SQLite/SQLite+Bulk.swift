import GRDBSQLite
import StorageContract

/// Bulk operations: an import in one transaction with one prepared statement, and a deletion by one statement.
extension SQLiteBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try transacting { try put(records, collection) }
  }

  /// Stores the records in the current transaction.
  private func put(_ records: [Record], _ collection: CollectionID) throws {
    try withConnection { connection in
      try withStatement(.put, collection, connection) { statement in
        try records.withUnsafeBufferPointer { records in
          for place in records.indices {
            guard row.insert(records.baseAddress.unsafelyUnwrapped + place, statement) == SQLITE_DONE else {
              throw connection.error()
            }
            sqlite3_reset(statement)
          }
        }
      }
    }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try withStatement(SQLiteQuery(.deletion, predicate, in: collection.checked(collectionCount))) {
      statement, connection in
      guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error() }
      return Int(sqlite3_changes(connection.handle))
    }
  }
}
