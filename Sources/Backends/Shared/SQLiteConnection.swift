import GRDBSQLite
import StorageContract

/// An open connection to an SQLite database. If it is not closed before, it is closed when it is released.
final class SQLiteConnection {
  let handle: OpaquePointer
  private let path: String
  private var isClosed = false

  /// Opens or creates an SQLite database.
  ///
  /// - Throws: ``StoreError``. Only the first statement shows whether the file is a database.
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
    // This is needed only after an error: close_v2 waits for remaining statements.
    if !isClosed { sqlite3_close_v2(handle) }
  }

  @inline(never)
  func error() -> StoreError {
    StoreError(sqlite: sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), path: path)
  }

  /// Prepares an SQL statement, which the caller must finalize.
  ///
  /// - Parameter isKept: Whether the statement will be used many times. If so, SQLite does not take the statement's
  ///   memory from the connection's small pool for short-lived objects.
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

  /// Runs a prepared statement that returns no rows. Returns the number of rows that the statement changed.
  @discardableResult
  func run(_ statement: OpaquePointer) throws -> Int {
    guard sqlite3_step(statement) == SQLITE_DONE else { throw error() }
    return Int(sqlite3_changes(handle))
  }

  /// Passes a prepared statement to the body once per row, until the body returns false.
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

  /// Runs an SQL text and returns the first column of its first row, or nil if there is no row.
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

  /// Returns a pair `name=value` for each pragma, as SQLite reports it, and one for the threading mode.
  func settings(_ pragmas: [String]) -> String {
    var pairs = pragmas.map { name in
      let value = try? text("PRAGMA \(name)")
      return "\(name)=\(value ?? "unknown")"
    }
    pairs.append("threading=\(sqlite3_db_mutex(handle) == nil ? "multi-thread" : "serialized")")
    return pairs.joined(separator: " ")
  }

  /// Sets the journal mode and sync level of the connection.
  ///
  /// - Throws: ``StoreError/failed(_:)`` also if SQLite keeps another journal mode. SQLite itself reports no error
  ///   then.
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

  /// Closes the connection. Every statement must be finalized.
  ///
  /// - Throws: ``StoreError/busy(_:)`` if a statement is not finalized.
  func close() throws {
    guard sqlite3_close(handle) == SQLITE_OK else { throw error() }
    isClosed = true
  }
}
