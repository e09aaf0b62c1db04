import StorageContract

/// An index of the words of a collection's texts, as SQL for either SQLite backend: a contentless FTS5 table with the
/// default tokenizer, and triggers that keep it up to date.
///
/// FTS5 does not tell upper from lower case, nor some marks: what it finds holds every record that is asked for, and each
/// is looked at once more.
struct SQLiteTextIndex {
  /// The name of the indexed table, quoted, and the index's.
  private let table: String
  private let index: String

  /// The index of a table whose name is quoted.
  init(_ table: String) {
    self.table = table
    index = "\"words of \(table.dropFirst())"
  }

  /// Whether the library has FTS5.
  static var isThere: Bool { SQLiteLibrary.compileOptions.split(separator: " ").contains("ENABLE_FTS5") }

  /// One row if the index is there.
  var existence: String { "SELECT name FROM sqlite_master WHERE name = \(literal(index))" }

  /// Makes it of what the table holds. A put replaces a row without the trigger of a deletion, so that the words of the
  /// old row go before the new one comes.
  var creation: String {
    let remove = "INSERT INTO \(index) (\(index), rowid, name)"
    let old = "\(remove) VALUES ('delete', old.id, old.name);"
    let new = "INSERT INTO \(index) (rowid, name) VALUES (new.id, new.name);"
    return """
      CREATE VIRTUAL TABLE \(index) USING fts5(name, content=\(literal(table)), content_rowid='id');
      CREATE TRIGGER \(trigger("gone")) BEFORE DELETE ON \(table) BEGIN \(old) END;
      CREATE TRIGGER \(trigger("replaced")) BEFORE INSERT ON \(table)
        WHEN EXISTS (SELECT 1 FROM \(table) WHERE id = new.id)
        BEGIN \(remove) SELECT 'delete', id, name FROM \(table) WHERE id = new.id; END;
      CREATE TRIGGER \(trigger("new")) AFTER INSERT ON \(table) BEGIN \(new) END;
      CREATE TRIGGER \(trigger("changed")) AFTER UPDATE OF name ON \(table) BEGIN \(old) \(new) END;
      INSERT INTO \(index) (\(index)) VALUES ('rebuild');
      """
  }

  /// The records in whose texts the index finds something, by key.
  var search: String {
    """
    SELECT \(SQLiteRecordSchema.columns) FROM \(table) \
    WHERE id IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?) ORDER BY id
    """
  }

  /// Returns the records whose texts have some bytes, by key. Not LIKE, which takes upper for lower case and ends at a
  /// NUL.
  ///
  /// - Parameter isCast: Whether the bytes are bound as a blob.
  func walk(isCast: Bool = false) -> String {
    """
    SELECT \(SQLiteRecordSchema.columns) FROM \(table) WHERE instr(name, \(isCast ? "CAST(? AS TEXT)" : "?")) > 0 \
    ORDER BY id
    """
  }

  /// Returns the argument of ``search``.
  static func phrase(_ word: TextWord) -> String { "\"\(word.text)\"" }

  /// Quoted: what stands before is, but for its end.
  private func trigger(_ word: String) -> String { "\(index.dropLast()) \(word)\"" }

  /// Returns a quoted name as a text.
  private func literal(_ name: String) -> String {
    "'\(name.dropFirst().dropLast().replacing("\"\"", with: "\"").replacing("'", with: "''"))'"
  }
}
