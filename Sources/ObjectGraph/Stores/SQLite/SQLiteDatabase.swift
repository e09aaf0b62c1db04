import Foundation
import GRDBSQLite

/// A connection to a database, and its prepared statements. Used by one thread at a time.
final class SQLiteDatabase {
  let handle: OpaquePointer
  let file: String
  private let path: String
  private var statements: [String: SQLiteStatement] = [:]
  private var tracer: SQLiteTracer?
  private var isClosed = false

  init(path: String, isReadOnly: Bool, busyTimeout: Duration) throws {
    self.path = path
    file = URL(fileURLWithPath: path).lastPathComponent
    var opened: OpaquePointer?
    // Its users hold the coordinator's lock: SQLite's own is not needed.
    let flags =
      SQLITE_OPEN_NOMUTEX | (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let systemError = opened.map { sqlite3_system_errno($0) } ?? ENOMEM
      sqlite3_close(opened)
      throw Self.error(code, message, systemError, path: path)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    // Another process may be saving.
    let milliseconds = busyTimeout / .milliseconds(1)
    sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), Double(Int32.max))))
    // A page whose cells do not fit together is noticed when it is read, not when it is changed.
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nil, nil, nil)
    SQLiteFunctions.register(on: handle)
  }

  deinit { if !isClosed { try? close() } }

  /// The statement for a text, prepared once.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    // Texts that vary endlessly (lists of keys) must not pile up.
    if statements.count >= 200 { statements = [:] }
    let statement = try SQLiteStatement(sql, self)
    statements[sql] = statement
    return statement
  }

  /// Runs statements that return nothing.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
  }

  /// The first column of the first row, or nil.
  func value(_ sql: String) throws -> Value? {
    let statement = try SQLiteStatement(sql, self)
    return try statement.step() ? statement.value(0) : nil
  }

  /// The error of the last call.
  @inline(never)
  func error() -> ObjectGraphError {
    let lastError = errno
    var systemError = sqlite3_system_errno(handle)
    // SQLite does not ask the system why when it is the end of a transaction that fails.
    if systemError == 0, [ENOSPC, EDQUOT, EFBIG].contains(lastError) { systemError = lastError }
    return Self.error(
      sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), systemError, path: path)
  }

  /// - Parameter systemError: What the system said, for a code that stands for several causes.
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
    // The tables are made with the metadata: where one is missing, somebody has taken it away.
    case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
      return .damaged(file: file, text)
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      switch systemError {
      case ENOSPC, EDQUOT, EFBIG: return .diskFull(file: file, systemText)
      case EACCES, EPERM, EROFS: return .readOnly(file: file, systemText)
      // In WAL mode two more files have to be made, even to read; that they are not there is what SQLite remembers.
      case ENOENT where access(path, W_OK) != 0 && [EROFS, EACCES].contains(errno):
        return .readOnly(file: file, String(cString: strerror(errno)) + " (SQLite \(code))")
      default: break
      }
      if code & 0xff == SQLITE_CANTOPEN { return .cannotOpen(file: file, systemError == 0 ? text : systemText) }
      return .store(file: file, systemError == 0 ? text : "\(message): \(systemText)")
    default: return .store(file: file, text)
    }
  }

  /// Hands every statement that has run to somebody.
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

/// A prepared statement.
final class SQLiteStatement {
  let handle: OpaquePointer
  private unowned let database: SQLiteDatabase
  /// What came of binding a value that is too large; without a look at it, the statement would run with the value
  /// of the time before.
  private var bindingCode = SQLITE_OK

  init(_ sql: String, _ database: SQLiteDatabase) throws {
    self.database = database
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw database.error() }
    handle = statement
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  @inline(__always)
  func step() throws -> Bool {
    guard bindingCode == SQLITE_OK else { throw bindingError() }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = database.error()
      sqlite3_reset(handle)
      throw error
    }
  }

  @inline(never)
  private func bindingError() -> ObjectGraphError {
    let code = bindingCode
    bindingCode = SQLITE_OK
    sqlite3_clear_bindings(handle)
    return .store(
      file: database.file,
      "\(String(cString: sqlite3_errstr(code))): a value has more bytes than SQLite can keep (SQLite \(code))")
  }

  /// Remembers the first failure.
  @inline(__always)
  private func note(_ code: Int32) {
    if code != SQLITE_OK, bindingCode == SQLITE_OK { bindingCode = code }
  }

  /// Runs a statement that returns nothing.
  @inline(__always)
  func run() throws {
    _ = try step()
    sqlite3_reset(handle)
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  /// The integer of a column, 0 for NULL.
  @inline(__always)
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The value of a column.
  func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      guard let base = sqlite3_column_blob(handle, column) else { return .string("") }
      let bytes = UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
      let text = String(decoding: bytes, as: UTF8.self)
      // Decoding mends what is not a text; that is given as bytes, which the attribute does not take. (An initializer
      // that validates asks for metadata at run time at each call.)
      let isSame = text.utf8.withContiguousStorageIfAvailable {
        $0.count == bytes.count && $0.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? true
      }
      return isSame == true ? .string(text) : .binary([UInt8](bytes))
    case SQLITE_BLOB:
      let base = sqlite3_column_blob(handle, column)
      return .binary([UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))))
    default: return .null
    }
  }

  @inline(__always)
  func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

  func bind(_ index: Int32, _ value: Value) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): sqlite3_bind_int64(handle, index, number)
    case .double(let number): sqlite3_bind_double(handle, index, number)
    case .string(var text):
      text.withUTF8 { bindText(index, $0, Self.transient) }
    case .binary(let bytes): bind(index, bytes)
    }
  }

  /// Binds values of a row one after the other and runs the block, during which SQLite reads texts and bytes where
  /// they lie: to have them copied first would cost as much as all the rest of the binding.
  ///
  /// - Important: Another run of the statement has to bind all of them again.
  ///
  /// - Parameters:
  ///   - places: Which of the values.
  ///   - index: The place of the first one among the statement's.
  func binding<Values: RandomAccessCollection<Value>, Places: RandomAccessCollection<Int>, Result>(
    _ values: Values, _ places: Places, from index: Int32, _ body: () throws -> Result
  ) rethrows -> Result where Values.Index == Int, Places.SubSequence == Places {
    var index = index
    var place = places.startIndex
    while place < places.endIndex {
      let next = places.index(after: place)
      switch values[places[place]] {
      case .string(let text):
        func bind(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
          bindText(index, bytes, nil)
          return try binding(values, places[next...], from: index + 1, body)
        }
        // Nearly every text has its bytes at hand; to ask so saves the copy that the other way takes to change.
        if let result = try text.utf8.withContiguousStorageIfAvailable(bind) { return result }
        var copy = text
        return try copy.withUTF8(bind)
      case .binary(let bytes) where !bytes.isEmpty:
        return try bytes.withUnsafeBytes {
          note(sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), nil))
          return try binding(values, places[next...], from: index + 1, body)
        }
      case let value: bind(index, value)
      }
      index += 1
      place = next
    }
    return try body()
  }

  @inline(__always)
  private func bindText(_ index: Int32, _ bytes: UnsafeBufferPointer<UInt8>, _ destructor: sqlite3_destructor_type?) {
    // A null pointer would be bound as NULL instead of the empty text.
    let base = bytes.baseAddress ?? StaticString("").utf8Start
    base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      note(sqlite3_bind_text64(handle, index, $0, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8)))
    }
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, index, 0)
      return
    }
    bytes.withUnsafeBytes {
      note(sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient))
    }
  }

  /// Bytes that are compared as a text, whether or not they are valid UTF-8.
  func bindText(_ index: Int32, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bindText(index, $0, Self.transient) }
  }

  /// Tells SQLite to copy what is bound.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

/// Follows the statements of a connection.
private final class SQLiteTracer {
  private let handler: @Sendable (SQLTrace) -> Void
  private var started: [OpaquePointer: ContinuousClock.Instant] = [:]

  init(_ handler: @escaping @Sendable (SQLTrace) -> Void) { self.handler = handler }

  func install(on connection: OpaquePointer) {
    // SQLite's own times are in milliseconds: the start is noted here.
    sqlite3_trace_v2(
      connection, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
      { event, tracer, statement, _ in
        guard let tracer, let statement else { return 0 }
        let handle = OpaquePointer(statement)
        let this = Unmanaged<SQLiteTracer>.fromOpaque(tracer).takeUnretainedValue()
        if event == UInt32(SQLITE_TRACE_STMT) { this.start(handle) } else { this.end(handle) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func start(_ statement: OpaquePointer) { started[statement] = .now }

  private func end(_ statement: OpaquePointer) {
    guard let start = started.removeValue(forKey: statement) else { return }
    let expanded = sqlite3_expanded_sql(statement)
    defer { sqlite3_free(expanded) }
    let sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    handler(
      SQLTrace(sql: sql, boundSQL: expanded.map { String(cString: $0) } ?? sql, duration: .now - start))
  }
}
