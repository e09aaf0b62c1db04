import CStorageLMDB
import GRDBSQLite
import StorageContract

/// A connection to an SQLite database. Releasing the object closes the connection.
final class SQLiteConnection {
  let handle: OpaquePointer
  private let path: String
  private let sqlite: UnsafePointer<SQLiteCalls>
  private let hasKey: Bool
  private var isClosed = false

  /// Opens or creates an SQLite database. A wrong encryption key or a damaged file is noticed only by the first
  /// statement.
  init(path: String, flags: Int32 = 0, by access: SQLiteAccess = .linked) throws {
    self.path = path
    let sqlite = access.library.calls
    self.sqlite = sqlite
    hasKey = access.key != nil
    var opened: OpaquePointer?
    let code = sqlite.pointee.open_v2(
      path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags, access.fileSystem)
    guard code == SQLITE_OK, let opened else {
      let message = opened.flatMap { sqlite.pointee.errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
      _ = sqlite.pointee.close(opened)
      throw StoreError(sqlite: code, message, path: path)
    }
    handle = opened
    access.library.count(opened)
    if access.hasChecksums { SQLiteChecksums.reserve(opened) }
    if let key = access.key { try execute(key) }
  }

  deinit {
    // After an error, statements may remain, and sqlite3_close_v2 waits for them.
    if !isClosed { _ = sqlite.pointee.close_v2(handle) }
  }

  @inline(never)
  func error() -> StoreError {
    let code = sqlite.pointee.extended_errcode(handle)
    let message = sqlite.pointee.errmsg(handle).map { String(cString: $0) } ?? "unknown error"
    let isWrongKey = hasKey && code & 0xff == SQLITE_NOTADB
    return StoreError(
      sqlite: code, message + (isWrongKey ? ", or it was written with another key or library" : ""), path: path)
  }

  /// Prepares an SQL statement, which the caller must finalize. `isKept` means that the statement will be used many
  /// times.
  func prepare(_ sql: String, isKept: Bool = false) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code =
      if let prepare = sqlite.pointee.prepare_v3 {
        prepare(handle, sql, -1, flags, &statement, nil)
      } else {
        sqlite.pointee.prepare_v2(handle, sql, -1, &statement, nil)
      }
    guard code == SQLITE_OK, let statement else { throw error() }
    return statement
  }

  func execute(_ sql: String) throws {
    guard sqlite.pointee.exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
  }

  @discardableResult
  func run(_ statement: OpaquePointer) throws -> Int {
    guard sqlite.pointee.step(statement) == SQLITE_DONE else { throw error() }
    return Int(sqlite.pointee.changes(handle))
  }

  @inline(__always)
  func forEachRow(_ statement: OpaquePointer, _ body: (OpaquePointer) throws -> Bool) throws {
    while true {
      switch sqlite.pointee.step(statement) {
      case SQLITE_ROW: guard try body(statement) else { return }
      case SQLITE_DONE: return
      default: throw error()
      }
    }
  }

  func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    defer { _ = sqlite.pointee.finalize(statement) }
    var text: String?
    try forEachRow(statement) { row in
      text = sqlite.pointee.column_text(row, 0).map { String(cString: $0) }
      return false
    }
    return text
  }

  func settings(_ pragmas: [String]) -> String {
    var pairs = pragmas.map { name in
      let value = try? text("PRAGMA \(name)")
      return "\(name)=\(value ?? "unknown")"
    }
    pairs.append("threading=\(sqlite.pointee.db_mutex(handle) == nil ? "multi-thread" : "serialized")")
    return pairs.joined(separator: " ")
  }

  /// Sets the journal mode (unless `leavingJournal` is true) and the sync level. Throws ``StoreError/failed(_:)`` if
  /// SQLite keeps another mode.
  func apply(_ mode: SQLiteMode, leavingJournal: Bool) throws {
    if !leavingJournal {
      let journal = try text("PRAGMA journal_mode=\(mode.journal.rawValue)")
      guard journal == mode.journal.rawValue else {
        throw StoreError.failed(
          "\(path): journal_mode stays \(journal ?? "unknown") instead of \(mode.journal.rawValue); "
            + "give another journal=")
      }
    }
    if let synchronous = mode.synchronous { try execute("PRAGMA synchronous=\(synchronous.rawValue)") }
  }

  /// Copies the database into the database of another connection. With `steps`, copies the database in about eight
  /// parts and calls `steps` between the parts.
  func copy(into copy: SQLiteConnection, between steps: (() throws -> Void)?) throws {
    let pages = try steps == nil ? -1 : max(1, (Int32(text("PRAGMA page_count") ?? "") ?? 0) / 8)
    guard let backup = sqlite.pointee.backup_init(copy.handle, "main", handle, "main") else { throw copy.error() }
    do {
      while true {
        let code = sqlite.pointee.backup_step(backup, pages)
        if code == SQLITE_DONE { break }
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, "the backup stopped", path: path) }
        try steps?()
      }
    } catch {
      _ = sqlite.pointee.backup_finish(backup)
      throw error
    }
    guard sqlite.pointee.backup_finish(backup) == SQLITE_OK else { throw copy.error() }
  }

  func close() throws {
    guard sqlite.pointee.close(handle) == SQLITE_OK else { throw error() }
    isClosed = true
  }
}

extension StoreLayout {
  /// Reads the page layout of a database. The leaf pages are read only if SQLite has the virtual table `dbstat`.
  init(sqlite path: String, by access: SQLiteAccess = .linked) throws {
    self.init()
    let sqlite = access.library.calls
    let connection = try SQLiteConnection(path: path, by: access)
    defer { try? connection.close() }
    // Another connection may be writing to the write-ahead log.
    _ = sqlite.pointee.busy_timeout(connection.handle, 2_000)
    func number(_ pragma: String) throws -> Int? { try connection.text("PRAGMA \(pragma)").flatMap { Int($0) } }
    (pageCount, freePages) = (try number("page_count"), try number("freelist_count"))
    guard access.library.isCompiled("ENABLE_DBSTAT_VTAB"), let size = try number("page_size") else { return }
    var walk = LeafWalk()
    var tree: String?
    // The column `path` of dbstat orders the pages of a tree by their keys.
    let statement = try connection.prepare(
      "SELECT name, pageno, unused FROM dbstat WHERE pagetype = 'leaf' ORDER BY name, path")
    defer { _ = sqlite.pointee.finalize(statement) }
    try connection.forEachRow(statement) { row in
      let name = sqlite.pointee.column_text(row, 0).map { String(cString: $0) }
      if name != tree { walk.beginTree() }
      tree = name
      walk.add(
        page: Int(sqlite.pointee.column_int64(row, 1)), used: size - Int(sqlite.pointee.column_int64(row, 2)), of: size)
      return true
    }
    (fragmentation, leafFill) = (walk.fragmentation, walk.fill)
  }
}
