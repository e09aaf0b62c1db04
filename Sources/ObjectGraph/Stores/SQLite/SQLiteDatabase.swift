import Foundation
import GRDBSQLite

/// A connection to a SQLite database, with its prepared statements, for one thread at a time.
final class SQLiteDatabase {
  let handle: OpaquePointer
  let file: String
  private let path: String
  private var statements: [String: SQLiteStatement] = [:]
  private var traceHandler: (@Sendable (SQLTrace) -> Void)?
  private var isClosed = false
  /// The version hashes of the expected model. Other hashes in the store show a migration by another process. Nil for
  /// no check.
  private var guardedHashes: [String: Data]?
  /// Whether this program is compiling a SQL statement at the moment. False if SQLite recompiles a statement by itself.
  private(set) var isCompiling = false
  /// The error that every statement throws after a migration by another process. Nil if no migration was detected.
  private(set) var migrated: ObjectGraphError?

  init(path: String, busyTimeout: Duration) throws {
    self.path = path
    file = URL(fileURLWithPath: path).lastPathComponent
    var opened: OpaquePointer?
    // SQLite's own lock is not needed, because one thread at a time uses the connection.
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw ObjectGraphError.store(file: file, "out of memory (SQLite \(code))") }
    // From here on, the deinitializer closes the connection if this initializer throws.
    handle = opened
    guard code == SQLITE_OK else { throw error(code) }
    sqlite3_extended_result_codes(handle, 1)
    let milliseconds = busyTimeout / .milliseconds(1)
    sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), Double(Int32.max))))
    // The pragma makes SQLite detect a damaged page at the first read, not only at a change.
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nil, nil, nil)
    SQLiteFunctions.register(on: handle)
  }

  deinit { if !isClosed { try? close() } }

  /// Returns the prepared statement for an SQL text, from a cache if possible.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    // The cache is limited, because there may be any number of different texts (as with lists of keys).
    if statements.count >= 200 { statements = [:] }
    let statement = try SQLiteStatement(sql, self)
    statements[sql] = statement
    return statement
  }

  func execute(_ sql: String) throws {
    guard compiling({ sqlite3_exec(handle, sql, nil, nil, nil) }) == SQLITE_OK else { throw error() }
  }

  func value(_ sql: String) throws -> Value? {
    let statement = try SQLiteStatement(sql, self)
    return try statement.step() ? statement.value(0) : nil
  }

  /// Returns the error of SQLite's last call.
  ///
  /// - Parameter code: The result code of the call. Nil for the extended result code that SQLite has recorded.
  @inline(never)
  func error(_ code: Int32? = nil) -> ObjectGraphError {
    let lastError = errno
    // The `errno` that SQLite has recorded, which shows the exact cause.
    var systemError = sqlite3_system_errno(handle)
    // SQLite does not record the system error if the end of a transaction fails.
    if systemError == 0, [ENOSPC, EDQUOT, EFBIG].contains(lastError) { systemError = lastError }
    let code = code ?? sqlite3_extended_errcode(handle)
    let message = String(cString: sqlite3_errmsg(handle))
    let text = "\(message) (SQLite \(code))"
    let systemText = "\(String(cString: strerror(systemError))) (SQLite \(code))"
    switch code & 0xff {
    case SQLITE_FULL: return .diskFull(file: file, text)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(file: file, text)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(file: file, text)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .damaged(file: file, text)
    // The tables and the metadata were created together, so a missing table has been removed.
    case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
      return .damaged(file: file, text)
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      switch systemError {
      case ENOSPC, EDQUOT, EFBIG: return .diskFull(file: file, systemText)
      case EACCES, EPERM, EROFS: return .readOnly(file: file, systemText)
      // WAL mode must create two more files, even to read. SQLite reports only that these files are missing.
      case ENOENT where access(path, W_OK) != 0 && [EROFS, EACCES].contains(errno):
        return .readOnly(file: file, String(cString: strerror(errno)) + " (SQLite \(code))")
      default: break
      }
      // This code is SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
      if code == SQLITE_IOERR | (2 << 8) {
        return .damaged(file: file, "it is cut off, or the log that belongs to it, \(file)-wal, is not beside it")
      }
      if code & 0xff == SQLITE_CANTOPEN { return .cannotOpen(file: file, systemError == 0 ? text : systemText) }
      return .store(file: file, systemError == 0 ? text : "\(message): \(systemText)")
    default: return .store(file: file, text)
    }
  }

  func trace(_ handler: @escaping @Sendable (SQLTrace) -> Void) {
    traceHandler = handler
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_PROFILE),
      { _, database, statement, _ in
        guard let database, let statement = statement.map(OpaquePointer.init) else { return 0 }
        let expanded = sqlite3_expanded_sql(statement)
        defer { sqlite3_free(expanded) }
        let sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
        Unmanaged<SQLiteDatabase>.fromOpaque(database).takeUnretainedValue().traceHandler?(
          SQLTrace(sql: sql, boundSQL: expanded.map { String(cString: $0) } ?? sql))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Throws an error if the database file was moved, deleted or replaced. SQLite does not check this in WAL mode.
  func checkInPlace() throws {
    var hasMoved: Int32 = 0
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0 else {
      return
    }
    throw ObjectGraphError.store(
      file: file, "somebody has moved, deleted or replaced it since it was opened here; put it back, or open it again")
  }

  // MARK: - Migrations by other processes

  // After a migration by another process, SQLite would silently recompile statements, and a save could write into wrong
  // columns. So SQLite may recompile only after ``checkModel()``.

  /// Makes the connection detect a migration by another process. The `versionHashes` belong to the expected model.
  func guardModel(_ versionHashes: [String: Data]) {
    guardedHashes = versionHashes
    sqlite3_set_authorizer(
      handle,
      { database, _, _, _, _, _ in
        guard let database else { return SQLITE_OK }
        let isWanted = Unmanaged<SQLiteDatabase>.fromOpaque(database).takeUnretainedValue().isCompiling
        return isWanted ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func compiling<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasCompiling = isCompiling
    isCompiling = true
    defer { isCompiling = wasCompiling }
    return try body()
  }

  /// Checks that the store still has the expected model.
  ///
  /// - Throws: ``ObjectGraphError/incompatibleModel(file:entities:)`` if another process has migrated the store.
  func checkModel() throws {
    guard let guardedHashes else { return }
    let found = try compiling { try storeMetadata() }.versionHashes
    guard found != guardedHashes else { return }
    let entities = Set(found.keys).union(guardedHashes.keys).filter { found[$0] != guardedHashes[$0] }.sorted()
    let error = ObjectGraphError.incompatibleModel(file: file, entities: entities)
    migrated = error
    throw error
  }

  // MARK: - Closing

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
