import Foundation
import GRDBSQLite

/// The write-ahead log of a database: its path, and the file number (inode) that it had when the store was opened.
struct SQLiteLog {
  private let path: String
  private let file: ino_t

  init?(of database: SQLiteDatabase) {
    guard let name = sqlite3_db_filename(database.handle, "main"), let log = sqlite3_filename_wal(name) else {
      return nil
    }
    path = String(cString: log)
    guard let file = FileCalls.status(of: path)?.st_ino else { return nil }
    self.file = file
  }

  /// Checks that the write-ahead log is still in place. Otherwise, new changes could be lost.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if the log was removed or replaced.
  func checkInPlace() throws {
    guard FileCalls.status(of: path)?.st_ino != file else { return }
    let name = URL(fileURLWithPath: path).lastPathComponent
    throw ObjectGraphError.store(
      file: String(name.dropLast("-wal".count)),
      """
      somebody has removed or replaced its log, \(name), since it was opened here; call settle(), which writes the \
      changes in the log to the main file, then remove the store from the coordinator and open it again
      """)
  }
}
