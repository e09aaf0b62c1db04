import CStorageLMDB
import Foundation
import GRDBSQLite
import StorageContract

/// The columns of the tables of the backends `sqlite` and `sqlite-queue`. The key column contains integers, or UUIDs
/// that SQL functions convert to and from integers.
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

  /// Whether FTS5, SQLite's full-text search, can index the words of the table. FTS5 needs a text column and row ids.
  var canIndexWords: Bool { hasRowid && columns == .plain }

  var column: String {
    if form.isOrdered { return "id INTEGER PRIMARY KEY" }
    let type = form.isText ? "TEXT" : "BLOB"
    return "id \(type) PRIMARY KEY NOT NULL" + (isSynced ? " ON CONFLICT REPLACE DEFAULT (uuid())" : "")
  }

  var ending: String { hasRowid ? "" : " WITHOUT ROWID" }

  /// The SQL expression for the integer key of a row: `id`, or `record_key(id)` if the keys are UUIDs.
  var number: String { form.isOrdered ? "id" : "record_key(id)" }

  /// Returns the SQL expression for the value of the key column, such as a UUID. `number` is the SQL expression for the
  /// integer key.
  func value(of number: String) -> String { form.isOrdered ? number : "record_uuid(\(number))" }

  /// Adds the SQL functions for UUID keys, such as `record_key`, to a connection of an SQLite library.
  func addFunctions(to connection: OpaquePointer, of library: SQLiteLibrary = .linked) throws {
    // C functions cannot capture variables, so each library has separate functions, which find the library in
    // ``SQLiteLibrary/tables``.
    guard !form.isOrdered else { return }
    guard let functions = library.tableIndex.flatMap(Self.functions) else {
      throw StoreError.failed(
        "ids=\(form.rawValue) works with only a limited number of SQLite libraries in one process, and this process "
          + "has loaded more; measure fewer libraries in one run")
    }
    let context = UnsafeMutableRawPointer(bitPattern: 1 + (KeyForm.allCases.firstIndex(of: form) ?? 0))
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
    let create = library.calls.pointee.create_function_v2
    _ = create(connection, "record_key", 1, flags | SQLITE_DETERMINISTIC, context, functions.key, nil, nil, nil)
    _ = create(connection, "record_uuid", 1, flags | SQLITE_DETERMINISTIC, context, functions.uuid, nil, nil, nil)
    _ = create(connection, "uuid", 0, flags, nil, functions.new, nil, nil, nil)
  }

  private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func functions(_ tableIndex: Int) -> (key: Function, uuid: Function, new: Function)? {
    switch tableIndex {
    case 0: ({ Self.key(0, $0, $2) }, { Self.uuid(0, $0, $2) }, { c, _, _ in Self.new(0, c) })
    case 1: ({ Self.key(1, $0, $2) }, { Self.uuid(1, $0, $2) }, { c, _, _ in Self.new(1, c) })
    case 2: ({ Self.key(2, $0, $2) }, { Self.uuid(2, $0, $2) }, { c, _, _ in Self.new(2, c) })
    case 3: ({ Self.key(3, $0, $2) }, { Self.uuid(3, $0, $2) }, { c, _, _ in Self.new(3, c) })
    default: nil
    }
  }

  private static func form(_ sqlite: UnsafePointer<SQLiteCalls>, _ context: OpaquePointer?) -> KeyForm {
    KeyForm.allCases[Int(bitPattern: sqlite.pointee.user_data(context)) - 1]
  }

  private static func key(
    _ tableIndex: Int, _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    let sqlite = SQLiteLibrary.tables[tableIndex]
    let argument = arguments?[0]
    let bytes = UnsafeRawBufferPointer(
      start: sqlite.pointee.value_blob(argument), count: Int(sqlite.pointee.value_bytes(argument)))
    let form = form(sqlite, context)
    guard let key = try? form.key(bytes) else {
      // A NUL would cut the message.
      let id =
        bytes.allSatisfy { (32..<127).contains($0) }
        ? String(decoding: bytes.prefix(40), as: UTF8.self)
        : bytes.prefix(40).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return sqlite.pointee.result_error(
        context,
        "the record id '\(id)' is not a UUID that storage-bench makes with ids=\(form.rawValue); "
          + "give the ids= that the store was made with, or remove the records of other programs", -1)
    }
    sqlite.pointee.result_int64(context, key)
  }

  private static func uuid(
    _ tableIndex: Int, _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    let sqlite = SQLiteLibrary.tables[tableIndex]
    let form = form(sqlite, context)
    form.withBytes(of: sqlite.pointee.value_int64(arguments?[0])) { bytes in
      form.isText
        ? sqlite.pointee.result_text(
          context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), 36, SQLiteCalls.transient)
        : sqlite.pointee.result_blob(context, bytes.baseAddress, 16, SQLiteCalls.transient)
    }
  }

  private static func new(_ tableIndex: Int, _ context: OpaquePointer?) {
    SQLiteLibrary.tables[tableIndex].pointee.result_text(context, UUID().uuidString, 36, SQLiteCalls.transient)
  }
}

/// The columns of a table: one per field (`plain`), or one for all fields but key and payload (`json`).
enum SQLiteColumns: Sendable {
  case plain, json

  static let option = OptionSpec(
    "columns", ["plain", "json"],
    help: "a column for each field, or a text column with a JSON object of all fields but key and payload")

  init(_ options: Options) { self = options[Self.option] == "json" ? .json : .plain }

  /// The limitation: `plain` returns -0 as 0, and with `json`, queries cut texts at the first NUL character.
  var deviation: Deviation {
    self == .plain
      ? SQLiteRecordSchema.minusZero
      : Deviation(
        .cutTexts, "Queries see a text only up to its first NUL character, since json_extract cuts it there.")
  }

  var settings: String { self == .plain ? "" : " columns=json" }

  /// The names of the table's columns, separated by commas, for an SQL statement that reads or writes rows.
  var names: String { self == .plain ? #"id, name, "group", score, modified, payload"# : "id, fields, payload" }

  var count: Int { self == .plain ? 6 : 3 }

  /// The result columns of a SELECT for the key and the payload of records. Other fields are empty or 0.
  var valuesOfPart: String {
    self == .plain
      ? "id, '', '', 0, 0, payload" : #"id, '{"name":"","group":"","score":0.0,"modified":0.0}', payload"#
  }

  /// Returns `clause` with json_extract calls in place of column names if fields are stored as JSON. `clause` must
  /// contain no literals and no table names.
  func sql(_ clause: String) -> String {
    guard self == .json else { return clause }
    return [RecordField.name, .group, .score, .modified].reduce(clause) {
      $0.replacing($1.column, with: "json_extract(fields, '$.\($1.rawValue)')")
    }
  }
}

/// A record as a JSON object, except key and payload. NaN is null, and an infinity is too large for a Double.
struct JSONFields {
  let name: String
  let group: String
  let score: Double
  let modified: Double

  static func text(of record: Record) -> [UInt8] {
    var json: [UInt8] = []
    json.reserveCapacity(96 + record.name.utf8.count + record.group.utf8.count)
    json += #"{"name":""#.utf8
    append(record.name, to: &json)
    json += #"","group":""#.utf8
    append(record.group, to: &json)
    json += #"","score":\#(text(of: record.score)),"modified":\#(text(of: record.modified))}"#.utf8
    return json
  }

  private static func append(_ text: String, to json: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case quote, backslash: json += [backslash, byte]
      case 0..<16: json += "\\u000\(String(byte, radix: 16))".utf8
      case 16..<32: json += "\\u00\(String(byte, radix: 16))".utf8
      default: json.append(byte)
      }
    }
  }

  private static func text(of number: Double) -> String {
    number.isNaN ? "null" : number.isInfinite ? number < 0 ? "-9e999" : "9e999" : number.description
  }

  private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))

  /// Parses exactly the JSON format that ``text(of:)`` writes. Throws ``StoreError/damaged(_:)`` for another format.
  init(_ json: UnsafeRawBufferPointer) throws {
    var rest = json[...]
    name = try Self.text(after: #"{"name":""#, &rest)
    group = try Self.text(after: #","group":""#, &rest)
    score = try Self.number(after: #","score":"#, &rest)
    modified = try Self.number(after: #","modified":"#, &rest)
    try Self.skip("}", &rest)
  }

  private static func skip(_ token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws {
    guard rest.starts(with: token.utf8) else {
      throw StoreError.damaged("store.sqlite: the JSON text of a row is not that of a record")
    }
    rest = rest.dropFirst(token.utf8.count)
  }

  private static func text(after token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws -> String {
    try skip(token, &rest)
    let plain = rest.prefix { $0 != quote && $0 != backslash }
    rest = rest.dropFirst(plain.count)
    var bytes: [UInt8] = []
    if rest.first == backslash { bytes += plain }
    while let byte = rest.first, byte != quote {
      let escape = rest.prefix(byte == backslash ? 6 : 1)
      let isNumber = escape.dropFirst().first == UInt8(ascii: "u")
      let number = isNumber ? UInt8(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16) : nil
      bytes.append(number ?? escape.prefix(2).last ?? byte)
      rest = rest.dropFirst(isNumber ? 6 : min(2, escape.count))
    }
    try skip("\"", &rest)
    return bytes.isEmpty ? String(decoding: plain, as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }

  private static func number(after token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws -> Double {
    try skip(token, &rest)
    let digits = String(decoding: rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }, as: UTF8.self)
    rest = rest.dropFirst(digits.utf8.count)
    if digits == "null" { return .nan }
    guard let number = Double(digits) else {
      throw StoreError.damaged("store.sqlite: the JSON text of a row has '\(digits)' in place of a number")
    }
    return number
  }
}
