import GRDBSQLite
import StorageContract

/// An open connection to an SQLite database. Releasing the object closes a connection that is still open.
final class SQLiteConnection {
  let handle: OpaquePointer
  private let path: String
  private var isClosed = false

  /// Opens or creates an SQLite database. Only the first statement detects a file that is not a database.
  init(path: String, flags: Int32 = 0) throws {
    self.path = path
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close(opened)
      throw StoreError(sqlite: code, message, path: path)
    }
    handle = opened
  }

  deinit {
    // After an error, statements may remain, and sqlite3_close_v2 waits for them.
    if !isClosed { sqlite3_close_v2(handle) }
  }

  @inline(never)
  func error() -> StoreError {
    StoreError(sqlite: sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), path: path)
  }

  /// Prepares an SQL statement, which the caller must finalize. `isKept` is for a statement that is used many times:
  /// SQLite then does not take its memory from the connection's small pool for short-lived objects.
  func prepare(_ sql: String, isKept: Bool = false) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
      throw error()
    }
    return statement
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
  }

  @discardableResult
  func run(_ statement: OpaquePointer) throws -> Int {
    guard sqlite3_step(statement) == SQLITE_DONE else { throw error() }
    return Int(sqlite3_changes(handle))
  }

  @inline(__always)
  func forEachRow(_ statement: OpaquePointer, _ body: (OpaquePointer) throws -> Bool) throws {
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: guard try body(statement) else { return }
      case SQLITE_DONE: return
      default: throw error()
      }
    }
  }

  func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var text: String?
    try forEachRow(statement) { row in
      text = sqlite3_column_text(row, 0).map { String(cString: $0) }
      return false
    }
    return text
  }

  func settings(_ pragmas: [String]) -> String {
    var pairs = pragmas.map { name in
      let value = try? text("PRAGMA \(name)")
      return "\(name)=\(value ?? "unknown")"
    }
    pairs.append("threading=\(sqlite3_db_mutex(handle) == nil ? "multi-thread" : "serialized")")
    return pairs.joined(separator: " ")
  }

  /// Sets the journal mode and sync level of the connection. Throws ``StoreError/failed(_:)`` if SQLite keeps another
  /// journal mode, which SQLite itself does not report as an error.
  func apply(_ mode: SQLiteMode, leavingJournal: Bool) throws {
    if !leavingJournal {
      let journal = try text("PRAGMA journal_mode=\(mode.journal.rawValue)")
      guard journal == mode.journal.rawValue else {
        throw StoreError.failed(
          "\(path): journal_mode stays \(journal ?? "unknown") instead of \(mode.journal.rawValue)")
      }
    }
    if let synchronous = mode.synchronous { try execute("PRAGMA synchronous=\(synchronous.word)") }
  }

  /// Copies the database into that of another connection, in one step, or in about eight with a closure between them.
  func copy(into copy: SQLiteConnection, between steps: (() throws -> Void)?) throws {
    let pages = try steps == nil ? -1 : max(1, (Int32(text("PRAGMA page_count") ?? "") ?? 0) / 8)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else { throw copy.error() }
    do {
      while true {
        let code = sqlite3_backup_step(backup, pages)
        if code == SQLITE_DONE { break }
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, "the backup stopped", path: path) }
        try steps?()
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    guard sqlite3_backup_finish(backup) == SQLITE_OK else { throw copy.error() }
  }

  func close() throws {
    guard sqlite3_close(handle) == SQLITE_OK else { throw error() }
    isClosed = true
  }
}
