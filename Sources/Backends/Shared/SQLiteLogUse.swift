import Foundation
import StorageContract

/// The state of an SQLite database's write-ahead log before timed saves: new, or used to its full length once.
enum SQLiteLogUse {
  static let option = OptionSpec(
    "log", ["used", "fresh"], help: "time saves in a log that was full once, as in an app in use, or in a new log")

  static func settings(_ options: Options) -> [String] { options[option] == "fresh" ? ["log=fresh"] : [] }

  /// Fills the write-ahead log with one-page commits, without a sync, so that it restarts from its beginning. The
  /// commits change `user_version`, which is restored. Source: sqlite.org/wal.html, sections 2.3 and 4.
  static func fill(_ file: String, _ environment: StoreEnvironment) throws {
    let path = environment.path(file)
    // There is no log if the last connection has removed it or the journal mode has none.
    guard environment.options[option] == "used", FileManager.default.fileExists(atPath: "\(path)-wal") else { return }
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

/// The options for an SQLite file, page size and memory map, as SQLite's documentation recommends for blobs
/// (sqlite.org/intern-v-extern-blob.html: pages of 8 or 16 kB; sqlite.org/mmap.html).
enum SQLiteFile {
  static let page = OptionSpec(
    "page", ["4096", "8192", "16384"], help: "page size in bytes; 4096 is the library's default")
  static let mmap = OptionSpec(
    "mmap", .size(or: "0"), help: "how much of the file is read through a memory map; 0 keeps the library's default")

  static func pragmas(_ options: Options) -> String {
    let size = options[page] == page.defaultValue ? "" : "PRAGMA page_size=\(options[page]);"
    return size + (isMapped(options) ? "PRAGMA mmap_size=\(Quantity.bytes(options[mmap]) ?? 0);" : "")
  }

  /// Returns whether the database file is read through a memory map. Writes always use system calls.
  static func isMapped(_ options: Options) -> Bool { options[mmap] != mmap.defaultValue }
}
