import StorageContract

/// The SQL of an attribute that a migration adds: a column with a default value, whose addition changes no row.
struct SQLiteAttribute {
  /// The index of the attribute's column in the rows that the query ``scan`` returns.
  static let place: Int32 = 6

  private let table: String
  private let keys: SQLiteKeys
  private let name: String
  private let defaultValue: String
  private var column: String { "\"\(name)\"" }

  init(_ attribute: AddedAttribute, _ collection: CollectionID, of schema: SQLiteRecordSchema) throws {
    table = schema.tables[try collection.checked(schema.tables.count)]
    keys = schema.keys
    name = "added_\(attribute.name)"
    defaultValue = attribute.defaultValue
  }

  var search: String {
    let table = String(table.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    return "SELECT 1 FROM pragma_table_info(\(Self.literal(table))) WHERE name = '\(name)'"
  }

  var addition: String {
    "ALTER TABLE \(table) ADD COLUMN \(column) TEXT NOT NULL DEFAULT \(Self.literal(defaultValue))"
  }

  /// The query for the records in a range of keys, with the attribute's value after the usual columns. The column is
  /// qualified with its table, because SQLite would read the quoted name of a missing column as a text.
  var scan: String {
    """
    SELECT \(SQLiteRecordSchema.columns), \(table).\(column) FROM \(table) \
    WHERE \(keys.number) BETWEEN ? AND ? ORDER BY \(keys.number)
    """
  }

  var update: String { "UPDATE \(table) SET \(column) = CAST(?2 AS TEXT) WHERE id = \(keys.value(of: "?1"))" }

  /// Returns a text as an SQL literal. A text with a NUL becomes a blob, which a text column keeps unchanged.
  private static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return "'" + text.replacing("'", with: "''") + "'" }
    let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'" + digits.joined() + "'"
  }
}
