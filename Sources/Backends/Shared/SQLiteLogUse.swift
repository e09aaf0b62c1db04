import Foundation
import StorageContract

/// The write-ahead log of a SQLite database, as an app finds it after a while.
enum SQLiteLogUse {
  /// Whether timed saves begin with a log that was used to its full length, or with a new one.
  static let option = OptionSpec(
    "log", ["used", "fresh"], help: "time saves in a log that was full once, as after a while, or in a new one")

  /// Words for the settings of a store, as a list of at most one.
  static func settings(_ options: Options) -> [String] { options[option] == "fresh" ? ["log=fresh"] : [] }

  /// Fills the log with commits of one page, without a sync, until it starts again.
  ///
  /// What is written is the number that SQLite keeps for users, which ends as it was. Source: sqlite.org/wal.html, sections
  /// 2.3 and 4.
  static func fill(_ path: String) throws {
    // A log that was removed by the last connection, or none in another journal mode.
    guard FileManager.default.fileExists(atPath: "\(path)-wal") else { return }
    let connection = try SQLiteConnection(path: path)
    defer { try? connection.close() }
    guard try connection.text("PRAGMA journal_mode") == "wal" else { return }
    try connection.execute("PRAGMA synchronous=OFF")
    let number = try connection.text("PRAGMA user_version").flatMap { Int32($0) } ?? 0
    let pages = try connection.text("PRAGMA wal_autocheckpoint").flatMap { Int($0) } ?? 0
    for page in 0..<max(0, pages) { try connection.execute("PRAGMA user_version=\(number ^ Int32(1 + page % 2))") }
    _ = try connection.text("PRAGMA wal_checkpoint(RESTART)")
    try connection.execute("PRAGMA user_version=\(number)")
  }
}
