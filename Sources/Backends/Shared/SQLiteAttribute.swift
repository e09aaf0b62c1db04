import StorageContract

extension SchemaChange {
  /// Whether SQLite can make this schema change by one statement, which needs no explicit transaction.
  var isOneStatement: Bool {
    switch self {
    case .add, .rename, .drop(_, byRebuild: false): true
    case .drop, .split: false
    }
  }
}

/// The SQL for the attributes that schema migrations add to a table: text columns with default values.
extension SQLiteRecordSchema {
  /// The prefix of columns that a schema migration adds: the column of the attribute `note` is named `added_note`.
  private static let prefix = "added_"

  private func column(_ attribute: AddedAttribute) -> String { "\"\(Self.prefix)\(attribute.name)\"" }

  /// Returns the SQL query for the records in a range of keys. The last result column contains the added attribute.
  func scan(with attribute: AddedAttribute, in collection: CollectionID) throws -> String {
    let table = try self.table(collection)
    // The table name precedes the column name, because SQLite would read the quoted name of a missing column as a text.
    return """
      SELECT \(keys.columns.names), \(table).\(column(attribute)) FROM \(table) \
      WHERE \(keys.number) BETWEEN ? AND ? ORDER BY \(keys.number)
      """
  }

  func update(of attribute: AddedAttribute, in collection: CollectionID) throws -> String {
    "UPDATE \(try table(collection)) SET \(column(attribute)) = CAST(?2 AS TEXT) WHERE id = \(keys.value(of: "?1"))"
  }

  /// Returns a text as an SQL literal, such as `'text'`. A text with a NUL becomes the literal of a blob.
  private static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return "'" + text.replacing("'", with: "''") + "'" }
    let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'" + digits.joined() + "'"
  }

  /// Returns a query for the names of the attributes that schema migrations have added to a collection's table.
  func attributeNames(_ collection: Int) -> String {
    let (start, count) = (Self.prefix, Self.prefix.count)
    return """
      SELECT substr(name, \(count + 1)) FROM pragma_table_info(\(Self.text(tables[collection]))) \
      WHERE substr(name, 1, \(count)) = '\(start)'
      """
  }

  /// Changes the schema of a collection's table, unless the table already has the change. The caller must begin a
  /// transaction unless ``SchemaChange/isOneStatement`` is true.
  ///
  /// - Parameters:
  ///   - texts: A closure that runs a query and returns the values of the first column.
  ///   - run: A closure that runs a statement without a result.
  func apply(
    _ change: SchemaChange, in collection: CollectionID, texts: (String) throws -> [String],
    run: (String) throws -> Void
  ) throws {
    let tableIndex = try collection.checked(tables.count)
    guard !change.isMade(Set(try texts(attributeNames(tableIndex)))) else { return }
    let table = tables[tableIndex]
    switch change {
    case .add(let attribute):
      let value = Self.literal(attribute.defaultValue)
      try run("ALTER TABLE \(table) ADD COLUMN \(column(attribute)) TEXT NOT NULL DEFAULT \(value)")
    case .rename(let old, let new): try run("ALTER TABLE \(table) RENAME COLUMN \(column(old)) TO \(column(new))")
    case .drop(let attribute, byRebuild: true): try rebuild(tableIndex, without: attribute, texts: texts, run: run)
    case .drop(let attribute, byRebuild: false):
      try run("ALTER TABLE \(table) DROP COLUMN \(column(attribute))")
    case .split(let other):
      try run(
        """
        INSERT OR REPLACE INTO \(try self.table(other)) (\(keys.columns.names)) \
        SELECT \(keys.columns.valuesOfPart) FROM \(table) WHERE length(payload) > 0
        """)
      try run("UPDATE \(table) SET payload = x'' WHERE length(payload) > 0")
    }
  }

  /// Replaces a table by a copy without an added column (https://sqlite.org/lang_altertable.html#otheralter). Foreign
  /// keys must be off.
  private func rebuild(
    _ tableIndex: Int, without attribute: AddedAttribute, texts: (String) throws -> [String],
    run: (String) throws -> Void
  ) throws {
    let (table, copy) = (tables[tableIndex], "\"new \(tables[tableIndex].dropFirst())")
    let objects = try texts(
      "SELECT sql FROM sqlite_master WHERE tbl_name = \(Self.text(table)) AND type <> 'table' AND sql IS NOT NULL")
    let kept = try texts(attributeNames(tableIndex)).filter { $0 != attribute.name }.map { Self.prefix + $0 }
    try run(declaration(copy))
    for name in kept {
      let value = try texts("SELECT dflt_value FROM pragma_table_info(\(Self.text(table))) WHERE name = '\(name)'")[0]
      try run("ALTER TABLE \(copy) ADD COLUMN \(name) TEXT NOT NULL DEFAULT \(value)")
    }
    // The rowid is copied, because a word index refers to rowids. An integer key is already the rowid.
    let rowid = keys.hasRowid && !keys.form.isOrdered ? ["rowid"] : []
    let columns = (rowid + [keys.columns.names] + kept).joined(separator: ", ")
    try run("INSERT INTO \(copy) (\(columns)) SELECT \(columns) FROM \(table)")
    try run("DROP TABLE \(table)")
    try run("ALTER TABLE \(copy) RENAME TO \(table)")
    for object in objects { try run(object) }
    guard try texts("PRAGMA foreign_key_check(\(table))").isEmpty else {
      throw StoreError.failed("a row of table \(table) refers to a row that does not exist")
    }
  }

  /// Returns a quoted SQL name as a text literal: `"items"` becomes `'items'`.
  static func text(_ name: String) -> String {
    "'\(name.dropFirst().dropLast().replacing("\"\"", with: "\"").replacing("'", with: "''"))'"
  }
}
