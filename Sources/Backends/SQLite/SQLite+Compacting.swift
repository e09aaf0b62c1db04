import GRDBSQLite
import StorageContract

/// The whole file written anew, without the pages that deleting left, and put in place.
extension SQLiteBackend: Compacting {
  func compact() throws {
    try withStatement("VACUUM", []) { statement, connection in
      guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error() }
    }
    // In WAL mode the file itself is written, and cut, by the checkpoint.
    try settle()
  }
}
