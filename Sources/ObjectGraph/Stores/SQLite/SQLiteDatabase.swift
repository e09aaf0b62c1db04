import Foundation
import GRDBSQLite

/// A connection to a database with its prepared statements, for one thread at a time.
final class SQLiteDatabase {
  let handle: OpaquePointer
  let file: String
  private let path: String
  private var statements: [String: SQLiteStatement] = [:]
  private var tracer: SQLiteTracer?
  private var isClosed = false
  /// The version hashes that the store's model must keep. Nil until ``guardModel(_:)`` is called.
  var guardedHashes: [String: Data]?
  /// Whether SQLite may compile a statement now. Without this check, SQLite would silently recompile statements after
  /// another process has changed tables.
  var isCompiling = false
  /// The error that every later statement throws. Set when another process has migrated the store to another model.
  var migrated: ObjectGraphError?

  init(path: String, busyTimeout: Duration) throws {
    self.path = path
    file = URL(fileURLWithPath: path).lastPathComponent
    var opened: OpaquePointer?
    // SQLite's own lock is not needed, because one thread at a time uses the connection.
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let systemError = opened.map { sqlite3_system_errno($0) } ?? ENOMEM
      sqlite3_close(opened)
      throw Self.error(code, message, systemError, path: path)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    // Waits while another process saves.
    let milliseconds = busyTimeout / .milliseconds(1)
    sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), Double(Int32.max))))
    // Makes SQLite detect a page with inconsistent cells when the page is read, not when it is changed.
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nil, nil, nil)
    SQLiteFunctions.register(on: handle)
  }

  deinit { if !isClosed { try? close() } }

  /// Returns the prepared statement for an SQL text. The statement is kept for later calls.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    // The number is limited, because some texts vary endlessly (lists of keys).
    if statements.count >= 200 { statements = [:] }
    let statement = try SQLiteStatement(sql, self)
    statements[sql] = statement
    return statement
  }

  /// Runs SQL that returns no rows. The text may contain several statements.
  func execute(_ sql: String) throws {
    guard compiling({ sqlite3_exec(handle, sql, nil, nil, nil) }) == SQLITE_OK else { throw error() }
  }

  /// Returns the first column of a query's first row, or nil if there is no row.
  func value(_ sql: String) throws -> Value? {
    let statement = try SQLiteStatement(sql, self)
    return try statement.step() ? statement.value(0) : nil
  }

  /// Returns the error of this connection's last SQLite call.
  @inline(never)
  func error() -> ObjectGraphError {
    let lastError = errno
    var systemError = sqlite3_system_errno(handle)
    // SQLite does not read the system error if the end of a transaction fails.
    if systemError == 0, [ENOSPC, EDQUOT, EFBIG].contains(lastError) { systemError = lastError }
    return Self.error(
      sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), systemError, path: path)
  }

  /// Returns the error for a SQLite result code.
  ///
  /// - Parameter systemError: The `errno` that SQLite has recorded. If a code has several causes, the `errno`
  ///   distinguishes them.
  static func error(
    _ code: Int32, _ message: String, _ systemError: Int32, path: String
  ) -> ObjectGraphError {
    let file = URL(fileURLWithPath: path).lastPathComponent
    let text = "\(message) (SQLite \(code))"
    let systemText = "\(String(cString: strerror(systemError))) (SQLite \(code))"
    switch code & 0xff {
    case SQLITE_FULL: return .diskFull(file: file, text)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(file: file, text)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(file: file, text)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .damaged(file: file, text)
    // The tables were created together with the metadata, so a missing one was removed.
    case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
      return .damaged(file: file, text)
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      switch systemError {
      case ENOSPC, EDQUOT, EFBIG: return .diskFull(file: file, systemText)
      case EACCES, EPERM, EROFS: return .readOnly(file: file, systemText)
      // WAL mode must create two more files, even to read. SQLite reports only that they are missing.
      case ENOENT where access(path, W_OK) != 0 && [EROFS, EACCES].contains(errno):
        return .readOnly(file: file, String(cString: strerror(errno)) + " (SQLite \(code))")
      default: break
      }
      // SQLITE_IOERR_SHORT_READ, a macro that Swift does not see.
      if code == SQLITE_IOERR | (2 << 8) {
        return .damaged(file: file, "it is cut off, or the log that belongs to it, \(file)-wal, is not beside it")
      }
      if code & 0xff == SQLITE_CANTOPEN { return .cannotOpen(file: file, systemError == 0 ? text : systemText) }
      return .store(file: file, systemError == 0 ? text : "\(message): \(systemText)")
    default: return .store(file: file, text)
    }
  }

  /// Makes SQLite call a handler after every statement of this connection.
  func trace(_ handler: @escaping @Sendable (SQLTrace) -> Void) {
    let tracer = SQLiteTracer(handler)
    tracer.install(on: handle)
    self.tracer = tracer
  }

  func close() throws {
    statements = [:]
    isClosed = true
    guard sqlite3_close(handle) == SQLITE_OK else {
      let error = error()
      sqlite3_close_v2(handle)
      throw error
    }
  }
}
