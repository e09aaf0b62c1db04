import Foundation
import StorageContract

/// The state of an SQLite database's write-ahead log before timed saves.
enum SQLiteLogUse {
  /// The option for the log of timed saves: used to its full length before, or new.
  static let option = OptionSpec(
    "log", ["used", "fresh"], help: "time saves in a log that was full once, as after a while, or in a new one")

  /// Returns at most one text for the settings of a store.
  static func settings(_ options: Options) -> [String] { options[option] == "fresh" ? ["log=fresh"] : [] }

  /// Fills the log with one-page commits, without a sync, until it restarts from the beginning.
  ///
  /// The commits change `user_version`, which is restored. Source: sqlite.org/wal.html, sections 2.3 and 4.
  static func fill(_ path: String) throws {
    // The last connection has removed the log, or the journal mode has none.
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
