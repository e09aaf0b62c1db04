import StorageContract

/// The SQL for a word index of a collection's record names: an FTS5 table, updated by triggers. A match may differ in
/// case or accents from the word searched for.
struct SQLiteTextIndex {
  private let table: String
  private let index: String
  private let keys: SQLiteKeys

  init(_ collection: CollectionID, of schema: SQLiteRecordSchema) throws {
    table = try schema.table(collection)
    keys = schema.keys
    index = "\"words of \(table.dropFirst())"
  }

  static func isThere(in library: SQLiteLibrary = .linked) -> Bool { library.isCompiled("ENABLE_FTS5") }

  var existence: String { "SELECT name FROM sqlite_master WHERE name = \(SQLiteRecordSchema.text(index))" }

  /// The statements that create the word index and its triggers.
  var creation: String {
    // SQLite does not run the deletion trigger when a put replaces a row, so a trigger before insertions removes the
    // old row's words.
    let remove = "INSERT INTO \(index) (\(index), rowid, name)"
    let old = "\(remove) VALUES ('delete', old.rowid, old.name);"
    let new = "INSERT INTO \(index) (rowid, name) VALUES (new.rowid, new.name);"
    return """
      CREATE VIRTUAL TABLE \(index) USING fts5(name, content=\(SQLiteRecordSchema.text(table)));
      CREATE TRIGGER \(trigger("gone")) BEFORE DELETE ON \(table) BEGIN \(old) END;
      CREATE TRIGGER \(trigger("replaced")) BEFORE INSERT ON \(table)
        WHEN EXISTS (SELECT 1 FROM \(table) WHERE id = new.id)
        BEGIN \(remove) SELECT 'delete', rowid, name FROM \(table) WHERE id = new.id; END;
      CREATE TRIGGER \(trigger("new")) AFTER INSERT ON \(table) BEGIN \(new) END;
      CREATE TRIGGER \(trigger("changed")) AFTER UPDATE OF name ON \(table) BEGIN \(old) \(new) END;
      INSERT INTO \(index) (\(index)) VALUES ('rebuild');
      """
  }

  var search: String {
    """
    SELECT \(keys.columns.names) FROM \(table) \
    WHERE rowid IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?) ORDER BY \(keys.number)
    """
  }

  /// Returns the query for records whose name contains a text, without the word index. `isCast` means that the text is
  /// bound as a blob.
  func walk(isCast: Bool = false) -> String {
    // LIKE is not used, because it ignores case and stops at a NUL.
    """
    SELECT \(keys.columns.names) FROM \(table) \
    WHERE instr(\(keys.columns.sql("name")), \(isCast ? "CAST(? AS TEXT)" : "?")) > 0 ORDER BY \(keys.number)
    """
  }

  static func phrase(_ word: TextWord) -> String { "\"\(word.text)\"" }

  private func trigger(_ word: String) -> String { "\(index.dropLast()) \(word)\"" }
}
