import GRDBSQLite
import StorageContract

/// Compaction by VACUUM, which rewrites the whole file without unused pages.
extension SQLiteBackend: Compacting {
  func compact() throws {
    try withStatement("VACUUM", []) { statement, connection in
      guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error() }
    }
    // In WAL mode, the checkpoint writes and truncates the database file.
    try settle()
  }
}
