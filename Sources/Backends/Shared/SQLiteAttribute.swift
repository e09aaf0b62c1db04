import StorageContract

/// The SQL of an attribute that was added as SQLite's users add one: a column with a default, which touches no row.
struct SQLiteAttribute {
  /// The column of the value in a row that ``scan`` finds.
  static let place: Int32 = 6

  private let table: String
  private let name: String
  private let defaultValue: String
  private var column: String { "\"\(name)\"" }

  /// - Parameter table: The collection's table, quoted.
  init(_ attribute: AddedAttribute, table: String) {
    self.table = table
    name = "added_\(attribute.name)"
    defaultValue = attribute.defaultValue
  }

  /// Finds the column: a row, if it is there.
  var search: String {
    let table = String(table.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    return "SELECT 1 FROM pragma_table_info(\(Self.literal(table))) WHERE name = '\(name)'"
  }

  /// Adds the column.
  var addition: String {
    "ALTER TABLE \(table) ADD COLUMN \(column) TEXT NOT NULL DEFAULT \(Self.literal(defaultValue))"
  }

  /// The records of a range of keys, with the value behind the usual columns. The column is qualified: SQLite would take
  /// the quoted name of one that is not there for a text.
  var scan: String {
    """
    SELECT \(SQLiteRecordSchema.columns), \(table).\(column) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id
    """
  }

  /// Sets the value, bound second and as bytes, of the record with the key that is bound first.
  var update: String { "UPDATE \(table) SET \(column) = CAST(?2 AS TEXT) WHERE id = ?1" }

  /// Returns a text as SQL writes it. One with a NUL can be written as a blob only, which a column of texts keeps as it
  /// is.
  private static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return "'" + text.replacing("'", with: "''") + "'" }
    let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'" + digits.joined() + "'"
  }
}
