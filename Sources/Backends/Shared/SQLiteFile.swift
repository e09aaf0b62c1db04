import Foundation
import StorageContract

/// The options for SQLite settings that are recommended for speed. Sources: sqlite.org/pragma.html,
/// sqlite.org/intern-v-extern-blob.html, sqlite.org/mmap.html.
enum SQLiteFile {
  static let page = OptionSpec(
    "page", ["4096", "8192", "16384"], help: "page size in bytes; 4096 is the library's default")
  static let mmap = OptionSpec(
    "mmap", .size(or: "0"), most: 1 << 40,
    help: "how much of the file is read through a memory map; 0 keeps the library's default")
  static let cache = OptionSpec(
    "cache", .size(or: "library"), most: 1 << 40,
    help: "size of the page cache (library: 2 MB; sqlite:as=apple: 0.5 MB)")
  static let temp = OptionSpec(
    "temp", ["library", "memory"], help: "where large sorts and VACUUM keep their data (library: in files)")
  static let autocheckpoint = OptionSpec(
    "autocheckpoint", .number(1_000), most: 100_000,
    help: "pages in the write-ahead log after which a save writes them back")
  static let secureDelete = OptionSpec(
    "secure-delete", ["library", "off", "fast"],
    help: "overwrite deleted content with zeros (library: on in Debian, off in Apple's)")

  static let options = [page, mmap, cache, temp, autocheckpoint, secureDelete]

  /// Returns PRAGMA statements, such as `PRAGMA page_size=8192;`, for the options that do not have their default
  /// values.
  static func pragmas(_ options: Options) -> String {
    guard Self.options.contains(where: { options[$0] != $0.defaultValue }) else { return "" }
    var pragmas: [String] = []
    if options[page] != page.defaultValue { pragmas.append("page_size=\(options[page])") }
    if let size = Quantity.bytes(options[mmap]), size > 0 { pragmas.append("mmap_size=\(size)") }
    // A negative cache size is in KiB instead of pages.
    if let size = Quantity.bytes(options[cache]) { pragmas.append("cache_size=-\(max(1, size / 1_024))") }
    if options[temp] == "memory" { pragmas.append("temp_store=2") }
    if options[autocheckpoint] != autocheckpoint.defaultValue {
      pragmas.append("wal_autocheckpoint=\(options[autocheckpoint])")
    }
    if options[secureDelete] != secureDelete.defaultValue { pragmas.append("secure_delete=\(options[secureDelete])") }
    return pragmas.map { "PRAGMA \($0);" }.joined(separator: " ")
  }

  /// Returns the names of the PRAGMAs whose values a report shows, such as `journal_mode`.
  static func shownPragmas(_ options: Options) -> [String] {
    [
      "journal_mode", "synchronous", "page_size", "wal_autocheckpoint", "cache_size", "auto_vacuum", "secure_delete",
      "journal_size_limit", "mmap_size",
    ] + (options[temp] == temp.defaultValue ? [] : ["temp_store"])
  }

  /// Returns whether SQLite reads the database file through a memory map. SQLite never writes through the map.
  static func isMapped(_ options: Options) -> Bool { options[mmap] != mmap.defaultValue }
}

/// The write-ahead log when timed saves begin: a new log, or a used one that saves overwrite from its start.
enum SQLiteLogUse {
  static let option = OptionSpec(
    "log", ["used", "fresh"], help: "time saves in a log that was full once, as in an app in use, or in a new log")

  static func settings(_ options: Options) -> [String] { options[option] == "fresh" ? ["log=fresh"] : [] }

  /// Fills a log with small commits, which later commits overwrite. Source: sqlite.org/wal.html, sections 2.3 and 4.
  static func fill(
    _ file: String, _ environment: StoreEnvironment, by access: SQLiteAccess = .linked
  ) throws {
    // Each commit changes one page by setting `user_version`, which gets its old value back. Nothing is synced.
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
