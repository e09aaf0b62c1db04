import CStorageLMDB
import GRDBSQLite
import StorageContract

/// The backend `sqlite`: SQLite's C API with one connection and prepared statements. Reads copy no columns.
final class SQLiteBackend: StorageBackend {
  static let journal = OptionSpec(
    "journal", ["auto", "wal", "delete", "memory"],
    help: "journal mode; auto is WAL, at shipped the library's default: DELETE, with as=apple WAL")
  private static let statements = OptionSpec(
    "statements", ["cached", "fresh"], help: "prepare statements once, or anew for every operation")
  static let connection = OptionSpec(
    "connection", ["kept", "per-operation"],
    help: "keep the connection open, or open and close it for every operation")
  static let target = OptionSpec("as", ["debian", "apple"], help: "the library's compiled defaults, or Apple's")

  static let description = BackendDescription(
    id: "sqlite", appearance: Appearance(name: "SQLite", mark: 0), summary: "SQLite's C API alone, one connection",
    safety: """
      At shipped, a power cut leaves an earlier save; in journal mode DELETE it can undo the last save, since the \
      directory is not synced; pages have no checksum, so damage inside a value is not noticed, except with checksums=yes.
      """,
    options: [journal, statements, connection, target, SQLiteLogUse.option] + SQLiteFile.options + SQLiteKeys.options
      + [SQLiteColumns.option] + SQLiteAccess.options,
    kind: { _ in .page }, mapped: { SQLiteFile.isMapped($0) ? .reads : .none },
    statements: SQLiteLibrary.statements, statementTexts: SQLiteLibrary.statementTexts,
    opensWith: { SQLiteAccess.isEncrypted($0) ? nil : "sqlite3" },
    code: code, engineVersion: { SQLiteLibrary.linked.version }, library: SQLiteAccess.libraryName,
    compileOptions: { SQLiteLibrary.linked.compileOptions }, unusual: SQLiteLibrary.linked.unusual,
    loaded: SQLiteAccess.loaded, origin: SQLiteLibrary.linkedFile, knownDefect: SQLiteLibrary.linked.knownDefect,
    deviations: deviations, aliases: ["sqlite3", "fmdb", "sqlite.swift"])

  static let file = "store.sqlite"
  let path: String
  let access: SQLiteAccess
  let sqlite: UnsafePointer<SQLiteCalls>
  let schema: SQLiteRecordSchema
  let mode: SQLiteMode
  private let isApple: Bool
  private let leavesJournal: Bool
  private let isCached: Bool
  private let pragmas: String
  private let options: Options
  let isKept: Bool
  let collectionCount: Int
  private let busyTimeout: Int32?
  /// The open connection. With the option `connection=per-operation`, nil outside of transactions.
  private var kept: SQLiteConnection?
  /// The prepared statements by collection and kind; nil before their first use. A buffer avoids the exclusivity checks
  /// of an array property.
  private let prepared: UnsafeMutableBufferPointer<OpaquePointer?>
  private var others: [StatementKey: OpaquePointer] = [:]
  var relations: SQLiteRelations?
  /// The last value of `PRAGMA data_version`, which changes when a second connection commits; nil if there is no second
  /// connection.
  var seenVersion: Int64?
  /// Whether a collection has a word index. The first search in a collection checks for an index.
  var hasWordIndex: [CollectionID: Bool] = [:]
  /// Whether a failed rollback must be repeated before the open connection is used again.
  private var mustRollBack = false
  private var (begin, beginReading, commitStatement): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
  let row: SQLiteRow

  /// The key of a prepared statement: the shape of a query, whose SQL need not be made again, or the SQL itself.
  private enum StatementKey: Hashable {
    case query(SQLiteQuery.Shape)
    case sql(String)
  }

  convenience init(opening environment: StoreEnvironment) throws {
    try self.init(opening: environment, busyTimeout: nil)
  }

  /// Opens the SQLite database of a store. `busyTimeout` is the maximum wait for another connection's lock, in
  /// milliseconds; nil means no wait.
  init(opening environment: StoreEnvironment, busyTimeout: Int32?) throws {
    self.busyTimeout = busyTimeout
    options = environment.options
    guard let mode = Self.mode(environment.durability, options) else {
      throw StoreError.failed("journal=memory does not provide the durability \(environment.durability.rawValue)")
    }
    self.mode = mode
    do {
      access = try SQLiteAccess(options)
    } catch {
      throw StoreError.failed("\(error)")
    }
    sqlite = access.library.calls
    path = environment.path(Self.file)
    schema = SQLiteRecordSchema(collections: environment.collections, SQLiteKeys(options))
    isApple = options[Self.target] == "apple"
    leavesJournal = options[Self.journal] == "auto" && mode.journal == .delete
    isKept = options[Self.connection] == "kept"
    isCached = isKept && options[Self.statements] == "cached"
    pragmas = (isApple ? Self.applePragmas : "") + SQLiteFile.pragmas(options)
    collectionCount = environment.collections.count
    prepared = .allocate(capacity: collectionCount * SQLiteRecordSchema.Statement.allCases.count)
    prepared.initialize(repeating: nil)
    row = SQLiteRow(form: schema.keys.form, columns: schema.keys.columns, sqlite: sqlite)
    let connection = try open()
    try connection.execute(schema.creation)
    if isKept { kept = connection } else { try connection.close() }
  }

  deinit {
    finalizeStatements()
    prepared.deallocate()
    row.deallocate()
  }

  var settings: String {
    do {
      let words =
        ["statements=\(isCached ? "cached" : "fresh")", "connection=\(isKept ? "kept" : "per-operation")"]
        + (mode.journal == .wal ? SQLiteLogUse.settings(options) : []) + access.settings
      return try withConnection { ([$0.settings(access.shownPragmas(options))] + words).joined(separator: " ") }
        + schema.keys.settings
    } catch {
      return "error=\(String(describing: error).replacing(" ", with: "_"))"
    }
  }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try withConnection { connection in
      // Changes are read in place, because a copy would retain and release three references.
      try changes.withUnsafeBufferPointer { changes in
        changes.count == 1
          ? try apply(changes.baseAddress.unsafelyUnwrapped, connection)
          : try transacting(connection) { try apply(changes, connection) }
      }
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try withRow(key, collection, body) != nil
  }

  /// Returns the record with a key, with one copy fewer than the default implementation in the protocol.
  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try withRow(key, collection) { $0.record() }
  }

  /// Passes the record with a key to the body and returns the body's result, or nil if there is no such record.
  @inline(__always)
  private func withRow<Result>(
    _ key: Int64, _ collection: CollectionID, _ body: (RecordView) throws -> Result
  ) throws -> Result? {
    try withConnection { connection in
      try withStatement(.read, collection, connection) { statement in
        row.bind(key, to: statement)
        switch sqlite.pointee.step(statement) {
        case SQLITE_ROW: return try row.withView(statement, key, body)
        case SQLITE_DONE: return nil
        default: throw connection.error()
        }
      }
    }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try withConnection { connection in
      try withStatement(.scan, collection, connection) { statement in
        _ = sqlite.pointee.bind_int64(statement, 1, keys.lowerBound)
        _ = sqlite.pointee.bind_int64(statement, 2, keys.upperBound)
        try connection.forEachRow(statement) { try row.withView($0, body) }
      }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try withConnection { connection in
      try withStatement(.count, collection, connection) { statement in
        guard sqlite.pointee.step(statement) == SQLITE_ROW else { throw connection.error() }
        return Int(sqlite.pointee.column_int64(statement, 0))
      }
    }
  }

  func settle() throws {
    guard mode.journal == .wal else { return }
    try withConnection { connection in
      guard try connection.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0" else {
        throw StoreError.busy(
          "\(Self.file): the checkpoint was blocked by another connection of this or another program; "
            + "end its reads and writes, then try again")
      }
    }
  }

  func close() throws {
    finalizeStatements()
    try kept?.close()
    kept = nil
  }

  // MARK: - Connections and statements

  private func open() throws -> SQLiteConnection {
    // Apple compiles SQLite with THREADSAFE=2, to which the flag NOMUTEX corresponds.
    let connection = try SQLiteConnection(path: path, flags: isApple ? SQLITE_OPEN_NOMUTEX : 0, by: access)
    if let busyTimeout { _ = sqlite.pointee.busy_timeout(connection.handle, busyTimeout) }
    try schema.keys.addFunctions(to: connection.handle, of: access.library)
    if !pragmas.isEmpty { try connection.execute(pragmas) }
    try connection.apply(mode, leavingJournal: leavesJournal)
    return connection
  }

  @inline(__always)
  func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    if let kept {
      if mustRollBack { try repeatRollback(kept) }
      return try body(kept)
    }
    guard !isKept else { throw StoreError.failed("\(Self.file) is closed") }
    let connection = try open()
    let result = try body(connection)
    try connection.close()
    return result
  }

  /// Passes a prepared statement to the body, and then resets the statement, which releases its lock on the database.
  @inline(__always)
  func withStatement<Result>(
    _ kind: SQLiteRecordSchema.Statement, _ collection: CollectionID, _ connection: SQLiteConnection,
    _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    let index = try collection.checked(collectionCount)
    if isCached {
      let position = index * SQLiteRecordSchema.Statement.allCases.count + kind.rawValue
      let statement = try prepared[position] ?? prepare(kind, index, connection)
      // A body that reads the same collection again gets another statement.
      if sqlite.pointee.stmt_busy(statement) == 0 {
        defer { _ = sqlite.pointee.reset(statement) }
        return try body(statement)
      }
    }
    let statement = try connection.prepare(schema.sql(kind, index))
    defer { _ = sqlite.pointee.finalize(statement) }
    return try body(statement)
  }

  private func prepare(
    _ kind: SQLiteRecordSchema.Statement, _ index: Int, _ connection: SQLiteConnection
  ) throws -> OpaquePointer {
    let statement = try connection.prepare(schema.sql(kind, index), isKept: true)
    prepared[index * SQLiteRecordSchema.Statement.allCases.count + kind.rawValue] = statement
    return statement
  }

  /// Binds the values of a query to its statement, passes the statement to the body and then resets the statement.
  func withStatement<Result>(
    _ query: SQLiteQuery, _ body: (OpaquePointer, SQLiteConnection) throws -> Result
  ) throws -> Result {
    try withStatement(.query(query.shape), schema.sql(query), { query.bind(to: $0, row) }, body)
  }

  /// Binds keys to the parameters of an SQL statement, passes the statement to the body and then resets the statement.
  func withStatement<Result>(
    _ sql: String, _ keys: [Int64], _ body: (OpaquePointer, SQLiteConnection) throws -> Result
  ) throws -> Result {
    func bind(_ statement: OpaquePointer) {
      for (index, key) in keys.enumerated() { _ = sqlite.pointee.bind_int64(statement, Int32(index + 1), key) }
    }
    return try withStatement(.sql(sql), sql, bind, body)
  }

  private func withStatement<Result>(
    _ key: @autoclosure () -> StatementKey, _ sql: @autoclosure () -> String, _ bind: (OpaquePointer) -> Void,
    _ body: (OpaquePointer, SQLiteConnection) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      if isCached {
        let key = key()
        let statement = try others[key] ?? connection.prepare(sql(), isKept: true)
        others[key] = statement
        // A body may run the same SQL again, which then gets another statement.
        if sqlite.pointee.stmt_busy(statement) == 0 {
          defer { _ = sqlite.pointee.reset(statement) }
          bind(statement)
          return try body(statement, connection)
        }
      }
      let statement = try connection.prepare(sql())
      defer { _ = sqlite.pointee.finalize(statement) }
      bind(statement)
      return try body(statement, connection)
    }
  }

  /// Rolls back the open transaction, if any. After a failed rollback, the next use of the connection tries again.
  func rollBack(_ connection: SQLiteConnection) {
    mustRollBack = isKept
    try? repeatRollback(connection)
  }

  @inline(never)
  private func repeatRollback(_ connection: SQLiteConnection) throws {
    if sqlite.pointee.get_autocommit(connection.handle) == 0 { try connection.execute("ROLLBACK") }
    mustRollBack = false
  }

  private func run(_ cache: inout OpaquePointer?, _ sql: String, _ connection: SQLiteConnection) throws {
    guard isCached else { return try connection.execute(sql) }
    let statement = try cache ?? connection.prepare(sql, isKept: true)
    cache = statement
    defer { _ = sqlite.pointee.reset(statement) }
    guard sqlite.pointee.step(statement) == SQLITE_DONE else { throw connection.error() }
  }

  private func finalizeStatements() {
    for statement in prepared { _ = sqlite.pointee.finalize(statement) }
    prepared.update(repeating: nil)
    for statement in others.values { _ = sqlite.pointee.finalize(statement) }
    others = [:]
    _ = sqlite.pointee.finalize(begin)
    _ = sqlite.pointee.finalize(beginReading)
    _ = sqlite.pointee.finalize(commitStatement)
    (begin, beginReading, commitStatement) = (nil, nil, nil)
  }

  // MARK: - Rows

  private func transacting<Result>(
    _ connection: SQLiteConnection, toRead: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    try toRead ? run(&beginReading, "BEGIN", connection) : run(&begin, "BEGIN IMMEDIATE", connection)
    do {
      let result = try body()
      try run(&commitStatement, "COMMIT", connection)
      return result
    } catch {
      rollBack(connection)
      throw error
    }
  }

  /// Runs the body in one transaction. `toRead` starts the transaction without a write lock, by BEGIN instead of BEGIN
  /// IMMEDIATE.
  func transacting<Result>(toRead: Bool = false, _ body: () throws -> Result) throws -> Result {
    try withConnection { connection in
      guard sqlite.pointee.get_autocommit(connection.handle) != 0 else { throw StoreError.nestedTransaction }
      if !isKept { kept = connection }
      defer { if !isKept { kept = nil } }
      return try transacting(connection, toRead: toRead, body)
    }
  }

  func apply(_ change: Change) throws {
    try withConnection { connection in try withUnsafePointer(to: change) { try apply($0, connection) } }
  }

  /// Applies changes inside the current transaction. Consecutive puts into one collection reuse one prepared SQL
  /// statement.
  private func apply(_ changes: UnsafeBufferPointer<Change>, _ connection: SQLiteConnection) throws {
    var index = 0
    while index < changes.count {
      let first = changes.baseAddress.unsafelyUnwrapped + index
      guard isCached, !first.pointee.isDelete else {
        try apply(first, connection)
        index += 1
        continue
      }
      let collection = first.pointee.collection
      try withStatement(.put, collection, connection) { statement in
        while index < changes.count {
          let change = changes.baseAddress.unsafelyUnwrapped + index
          guard !change.pointee.isDelete, change.pointee.collection == collection else { return }
          guard row.insert(change.record, statement) == SQLITE_DONE else { throw connection.error() }
          _ = sqlite.pointee.reset(statement)
          index += 1
        }
      }
    }
  }

  @inline(__always)
  private func apply(_ change: UnsafePointer<Change>, _ connection: SQLiteConnection) throws {
    let isDelete = change.pointee.isDelete
    try withStatement(isDelete ? .delete : .put, change.pointee.collection, connection) { statement in
      let code: Int32
      if isDelete {
        row.bind(change.record.pointee.id, to: statement)
        code = sqlite.pointee.step(statement)
      } else {
        code = row.insert(change.record, statement)
      }
      guard code == SQLITE_DONE else { throw connection.error() }
    }
  }
}
