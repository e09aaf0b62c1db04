import StorageContract

/// The SQL of the two SQLite backends: one table for each collection.
///
/// NaN is not a value that SQLite can hold: it is stored as NULL, and read back as NaN. A whole number in a REAL
/// column is stored as an integer to save space, which turns -0 into 0.
struct SQLiteRecordSchema {
  /// The operations on a table.
  enum Statement: Int, CaseIterable {
    case put, delete, read, scan, count
  }

  /// The columns, in the order in which statements bind and return them.
  static let columns = #"id, name, "group", score, modified, payload"#

  /// Their names, quoted, by the collections' places.
  let tables: [String]

  /// The tables of the collections.
  init(collections: [String]) {
    tables = collections.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
  }

  /// Creates what is missing and leaves what is there, in one transaction: at every launch, as apps do.
  var creation: String {
    let tables = tables.map {
      """
      CREATE TABLE IF NOT EXISTS \($0) \
      (id INTEGER PRIMARY KEY, name TEXT, "group" TEXT, score REAL, modified REAL, payload BLOB);
      """
    }
    return (["BEGIN;"] + tables + ["COMMIT;"]).joined(separator: "\n")
  }

  /// Returns the text of a statement for a collection, by its place.
  func sql(_ statement: Statement, _ collection: Int) -> String {
    let table = tables[collection]
    return switch statement {
    case .put: "INSERT OR REPLACE INTO \(table) (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)"
    case .delete: "DELETE FROM \(table) WHERE id = ?"
    case .read: "SELECT \(Self.columns) FROM \(table) WHERE id = ?"
    case .scan: "SELECT \(Self.columns) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id"
    case .count: "SELECT COUNT(*) FROM \(table)"
    }
  }

  /// Creates the index over a field of a collection, by its place, unless it is there.
  func indexCreation(_ field: RecordField, _ collection: Int) -> String {
    // Indexes of all tables share one name space.
    let name = "\"\(field.rawValue) of \(tables[collection].dropFirst())"
    return "CREATE INDEX IF NOT EXISTS \(name) ON \(tables[collection]) (\(field.column))"
  }

  /// The values that SQLite's number formats cannot keep.
  static let minusZero = Deviation(
    .minusZero, "The number -0 comes back as 0, since SQLite keeps a whole number of a REAL column as an integer.")

  /// The pragmas that a row shows, read back from the engine.
  static let shownPragmas = [
    "journal_mode", "synchronous", "page_size", "wal_autocheckpoint", "cache_size", "auto_vacuum",
    "secure_delete",
    "journal_size_limit", "mmap_size",
  ]
}

extension RecordField {
  /// The name of the column, for SQL.
  var column: String {
    switch self {
    case .key: "id"
    case .name: "name"
    case .group: #""group""#
    case .score: "score"
    case .modified: "modified"
    }
  }
}
