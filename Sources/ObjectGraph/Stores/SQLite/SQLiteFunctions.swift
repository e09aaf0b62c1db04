import GRDBSQLite

/// The SQL function `OG_LISTED(list, index)`, which returns one value of a list. The whole list is bound to a single
/// `?`.
enum SQLiteFunctions {
  static func register(on connection: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(
      connection, "OG_LISTED", 2, flags, nil,
      { context, _, arguments in
        guard let pointer = sqlite3_value_pointer(arguments?[0], List.type) else { return sqlite3_result_null(context) }
        let values = Unmanaged<List>.fromOpaque(pointer).takeUnretainedValue().values
        let index = Int(truncatingIfNeeded: sqlite3_value_int64(arguments?[1]))
        SQLiteFunctions.give(values.indices.contains(index) ? values[index] : .null, to: context)
      }, nil, nil, nil)
  }

  /// A list of values for the SQL function `OG_LISTED`. The whole list is bound to a single `?`.
  final class List {
    let values: [Value]

    init(_ values: [Value]) { self.values = values }

    /// The type name that `sqlite3_bind_pointer` needs for a pointer to a ``List``. SQLite keeps the address, so the
    /// name is a static string.
    static var type: UnsafePointer<CChar> {
      UnsafeRawPointer(StaticString("ObjectGraph.List").utf8Start).assumingMemoryBound(to: CChar.self)
    }
  }

  private static func give(_ value: Value, to context: OpaquePointer?) {
    let transient = SQLiteStatement.transient
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let number): sqlite3_result_int64(context, number)
    case .double(let number): sqlite3_result_double(context, number)
    case .string(let text):
      text.withCString {
        sqlite3_result_text64(context, $0, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
      }
    case .binary(let bytes):
      guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
      bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient) }
    }
  }
}
