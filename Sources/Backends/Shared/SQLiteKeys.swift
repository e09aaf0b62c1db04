import Foundation
import GRDBSQLite
import StorageContract

/// The key column and the other columns of the SQLite tables, for both SQLite backends. UUIDs are bound and read as in an app; only
/// statements that need the key as a number call an SQL function for each row.
struct SQLiteKeys: Sendable {
  private static let rowid = OptionSpec(
    "rowid", ["yes", "no"], help: "create the tables with rowids, or WITHOUT ROWID")
  private static let synced = OptionSpec(
    "synced", ["no", "yes"],
    help: "declare text ids NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()), as apps that sync do")

  static let options = [KeyForm.option, rowid, synced]

  let form: KeyForm
  let columns: SQLiteColumns
  let hasRowid: Bool
  private let isSynced: Bool

  init(_ options: Options) {
    form = KeyForm(options)
    columns = SQLiteColumns(options)
    hasRowid = options[Self.rowid] == "yes"
    isSynced = options[Self.synced] == "yes"
  }

  static func obstacle(_ options: Options) -> String? {
    let keys = SQLiteKeys(options)
    return keys.isSynced && !keys.form.isText ? "synced=yes needs ids=uuid4-text or ids=uuid7-text" : nil
  }

  var settings: String {
    form.settings + (hasRowid ? "" : " rowid=no") + (isSynced ? " synced=yes" : "") + columns.settings
  }

  /// Whether FTS5 can index the words of the table. It needs a column with the texts, and finds a record by its rowid.
  var canIndexWords: Bool { hasRowid && columns == .plain && SQLiteTextIndex.isThere }

  var column: String {
    if form.isOrdered { return "id INTEGER PRIMARY KEY" }
    let type = form.isText ? "TEXT" : "BLOB"
    return "id \(type) PRIMARY KEY NOT NULL" + (isSynced ? " ON CONFLICT REPLACE DEFAULT (uuid())" : "")
  }

  var ending: String { hasRowid ? "" : " WITHOUT ROWID" }

  /// The SQL expression that converts the key column to the key's number.
  var number: String { form.isOrdered ? "id" : "record_key(id)" }

  /// Returns the SQL expression that converts a key, given as an SQL number, to the value in the key column.
  func value(of number: String) -> String { form.isOrdered ? number : "record_uuid(\(number))" }

  func addFunctions(to connection: OpaquePointer) {
    guard !form.isOrdered else { return }
    let context = UnsafeMutableRawPointer(bitPattern: 1 + (KeyForm.allCases.firstIndex(of: form) ?? 0))
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
    sqlite3_create_function_v2(
      connection, "record_key", 1, flags | SQLITE_DETERMINISTIC, context,
      { context, _, arguments in
        let form = KeyForm.allCases[Int(bitPattern: sqlite3_user_data(context)) - 1]
        let argument = arguments?[0]
        let bytes = UnsafeRawBufferPointer(
          start: sqlite3_value_blob(argument), count: Int(sqlite3_value_bytes(argument)))
        guard let key = try? form.key(bytes) else {
          return sqlite3_result_error(context, "a record's id is not a UUID of this suite", -1)
        }
        sqlite3_result_int64(context, key)
      }, nil, nil, nil)
    sqlite3_create_function_v2(
      connection, "record_uuid", 1, flags | SQLITE_DETERMINISTIC, context,
      { context, _, arguments in
        let form = KeyForm.allCases[Int(bitPattern: sqlite3_user_data(context)) - 1]
        form.withBytes(of: sqlite3_value_int64(arguments?[0])) { bytes in
          form.isText
            ? sqlite3_result_text(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), 36, Self.transient)
            : sqlite3_result_blob(context, bytes.baseAddress, 16, Self.transient)
        }
      }, nil, nil, nil)
    sqlite3_create_function_v2(
      connection, "uuid", 0, flags, nil,
      { context, _, _ in sqlite3_result_text(context, UUID().uuidString, 36, Self.transient) }, nil, nil, nil)
  }

  /// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
  static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
