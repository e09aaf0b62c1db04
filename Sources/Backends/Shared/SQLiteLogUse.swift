import Foundation
import StorageContract

/// The state of SQLite's write-ahead log when timed saves begin: a new log, or a used log that saves overwrite from its
/// start.
enum SQLiteLogUse {
  static let option = OptionSpec(
    "log", ["used", "fresh"], help: "time saves in a log that was full once, as in an app in use, or in a new log")

  static func settings(_ options: Options) -> [String] { options[option] == "fresh" ? ["log=fresh"] : [] }

  /// Fills a store's write-ahead log with small commits, so that later commits overwrite the log from its start.
  /// Source: sqlite.org/wal.html, sections 2.3 and 4.
  static func fill(
    _ file: String, _ environment: StoreEnvironment, by access: SQLiteAccess = .linked
  ) throws {
    // Each commit changes one page by setting `user_version`, which gets its old value back at the end. Nothing is
    // synced.
    let path = environment.path(file)
    // There is no log if the last connection has removed it or the journal mode has none.
    guard environment.options[option] == "used", FileManager.default.fileExists(atPath: "\(path)-wal") else { return }
    let connection = try SQLiteConnection(path: path, by: access)
    defer { try? connection.close() }
    guard try connection.text("PRAGMA journal_mode") == "wal" else { return }
    try connection.execute("PRAGMA synchronous=OFF")
    let number = try connection.text("PRAGMA user_version").flatMap { Int32($0) } ?? 0
    try connection.execute(SQLiteFile.pragmas(environment.options))
    let pages = try connection.text("PRAGMA wal_autocheckpoint").flatMap { Int($0) } ?? 0
    for page in 0..<max(0, pages) { try connection.execute("PRAGMA user_version=\(number ^ Int32(1 + page % 2))") }
    _ = try connection.text("PRAGMA wal_checkpoint(RESTART)")
    try connection.execute("PRAGMA user_version=\(number)")
  }
}
