import Foundation
import GRDBSQLite

/// The path and the file number (inode) of a database's write-ahead log, `NAME-wal`. Both are determined when the store
/// is opened. As long as any process has the database open, SQLite does not replace the log file.
struct SQLiteLog {
  private let path: String
  private let file: ino_t

  init?(of database: SQLiteDatabase) {
    guard let name = sqlite3_db_filename(database.handle, "main"), let log = sqlite3_filename_wal(name) else {
      return nil
    }
    path = String(cString: log)
    guard let file = Self.file(at: path) else { return nil }
    self.file = file
  }

  /// Checks before a transaction that the write-ahead log was not removed or replaced, which SQLite does not check.
  /// Changes in a removed log are invisible to other processes, and lost when this process is killed. A save of a
  /// single row omits the check, because the check costs a system call.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if the log was removed or replaced.
  func checkInPlace() throws {
    guard Self.file(at: path) != file else { return }
    let name = URL(fileURLWithPath: path).lastPathComponent
    throw ObjectGraphError.store(
      file: String(name.dropLast("-wal".count)),
      """
      somebody has removed or replaced its log, \(name), since it was opened here; settle() puts what is in it into the \
      main file, then remove the store and open it again
      """)
  }

  private static func file(at path: String) -> ino_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : nil
  }
}
