import GRDBSQLite

/// The functions that predicates need beyond SQLite's own, so that they find in SQL what they find in memory. Of
/// anything but texts they make NULL.
enum SQLiteFunctions {
  static func register(on connection: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(
      connection, "OG_FOLD", 2, flags, nil,
      { context, _, arguments in
        guard let text = SQLiteFunctions.text(arguments?[0]) else { return sqlite3_result_null(context) }
        let options = ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(arguments?[1])))
        var folded = options.folded(text)
        folded.withUTF8 { bytes in
          let base = bytes.baseAddress ?? StaticString("").utf8Start
          base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            sqlite3_result_text64(
              context, $0, UInt64(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
          }
        }
      }, nil, nil, nil)
    sqlite3_create_function_v2(
      connection, "OG_LIKE", 2, flags, nil,
      { SQLiteFunctions.compare($0, $2, TextSearch.isLike) }, nil, nil, nil)
    sqlite3_create_function_v2(
      connection, "OG_BEGINS", 2, flags, nil,
      { SQLiteFunctions.compare($0, $2) { $0.utf8.starts(with: $1.utf8) } }, nil, nil, nil)
    sqlite3_create_function_v2(
      connection, "OG_ENDS", 2, flags, nil,
      { SQLiteFunctions.compare($0, $2, TextSearch.ends) }, nil, nil, nil)
  }

  private static func compare(
    _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ holds: (String, String) -> Bool
  ) {
    guard let left = text(arguments?[0]), let right = text(arguments?[1]) else { return sqlite3_result_null(context) }
    sqlite3_result_int(context, holds(left, right) ? 1 : 0)
  }

  private static func text(_ value: OpaquePointer?) -> String? {
    guard sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
    let base = sqlite3_value_text(value)
    return String(
      decoding: UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
  }
}
