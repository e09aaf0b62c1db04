import StorageContract

/// The SQL of the SQLite backends, with one table for each collection. SQLite stores NaN as NULL, and -0 as 0.
struct SQLiteRecordSchema {
  enum Statement: Int, CaseIterable {
    case put, delete, read, scan, count
  }

  /// The names of the tables in double quotes, in the order of the collections.
  let tables: [String]
  let keys: SQLiteKeys

  init(collections: [String], _ keys: SQLiteKeys) {
    self.keys = keys
    tables = collections.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
  }

  func table(_ collection: CollectionID) throws -> String { tables[try collection.checked(tables.count)] }

  /// The SQL that creates missing tables in one transaction, run each time a store is opened.
  var creation: String {
    (["BEGIN;"] + tables.map { declaration($0) } + ["COMMIT;"]).joined(separator: "\n")
  }

  /// Returns the SQL statement that creates a collection's table if the table is missing.
  func declaration(_ table: String) -> String {
    keys.columns == .json
      ? "CREATE TABLE IF NOT EXISTS \(table) (\(keys.column), fields TEXT, payload BLOB)\(keys.ending);"
      : """
      CREATE TABLE IF NOT EXISTS \(table) \
      (\(keys.column), name TEXT, "group" TEXT, score REAL, modified REAL, payload BLOB)\(keys.ending);
      """
  }

  func sql(_ statement: Statement, _ collection: Int) -> String {
    let (table, columns) = (tables[collection], keys.columns.names)
    return switch statement {
    case .put where keys.columns == .json: "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (?, ?, ?)"
    case .put: "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (?, ?, ?, ?, ?, ?)"
    case .delete: "DELETE FROM \(table) WHERE id = ?"
    case .read: "SELECT \(columns) FROM \(table) WHERE id = ?"
    case .scan: "SELECT \(columns) FROM \(table) WHERE \(keys.number) BETWEEN ? AND ? ORDER BY \(keys.number)"
    case .count: "SELECT COUNT(*) FROM \(table)"
    }
  }

  func indexCreation(_ field: RecordField, _ collection: Int) -> String {
    // All indexes of a database share one namespace.
    let name = "\"\(field.rawValue) of \(tables[collection].dropFirst())"
    return "CREATE INDEX IF NOT EXISTS \(name) ON \(tables[collection]) (\(keys.columns.sql(field.column)))"
  }

  static let minusZero = Deviation(
    .minusZero, "The number -0 comes back as 0, since SQLite keeps a whole number of a REAL column as an integer.")
}

extension RecordField {
  var column: String { self == .key ? "id" : self == .group ? #""group""# : rawValue }
}
