import GRDBSQLite

/// A tracer of one SQLite connection, which passes the text and the duration of each statement to a handler.
final class SQLiteTracer {
  private let handler: @Sendable (SQLTrace) -> Void
  private var started: [OpaquePointer: ContinuousClock.Instant] = [:]

  init(_ handler: @escaping @Sendable (SQLTrace) -> Void) { self.handler = handler }

  func install(on connection: OpaquePointer) {
    // The start is recorded here, because SQLite's own times have only a resolution of milliseconds.
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
    handler(SQLTrace(sql: sql, boundSQL: expanded.map { String(cString: $0) } ?? sql, duration: .now - start))
  }
}
