import GRDBSQLite
import StorageContract

/// Word search by FTS5 if there is an index, otherwise by reading every text.
extension SQLiteBackend: TextSearching {
  static var indexesWords: Bool { SQLiteTextIndex.isThere }

  private func index(_ collection: CollectionID) throws -> SQLiteTextIndex {
    SQLiteTextIndex(schema.tables[try collection.checked(collectionCount)])
  }

  func indexWords(in collection: CollectionID) throws {
    let index = try index(collection)
    if try !hasWords(index) { try create(index.creation) }
    indexed.insert(collection)
  }

  private func hasWords(_ index: SQLiteTextIndex) throws -> Bool {
    try withStatement(index.existence, []) { statement, connection in
      switch sqlite3_step(statement) {
      case SQLITE_ROW: true
      case SQLITE_DONE: false
      default: throw connection.error()
      }
    }
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try index(collection)
    // Check once whether there is an index, which an app would know from its schema.
    if !looked.contains(collection) {
      looked.insert(collection)
      if try hasWords(index) { indexed.insert(collection) }
    }
    guard !word.text.isEmpty else { return [] }
    let isSearch = word.isPlain && indexed.contains(collection)
    var records: [Record] = []
    try withStatement(isSearch ? index.search : index.walk(), []) { statement, connection in
      Self.bind(isSearch ? SQLiteTextIndex.phrase(word) : word.text, to: statement)
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW:
          let view = SQLiteRow.view(statement, sqlite3_column_int64(statement, 0))
          if word.isIn(view.name) { records.append(view.record()) }
        case SQLITE_DONE: return
        default: throw connection.error()
        }
      }
    }
    return records
  }

  /// Binds a text to the first placeholder. The engine copies it.
  private static func bind(_ text: String, to statement: OpaquePointer) {
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    var text = text
    text.withUTF8 { bytes in
      // A null pointer would be bound as NULL instead of an empty text.
      let base = bytes.baseAddress ?? StaticString("").utf8Start
      base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        _ = sqlite3_bind_text64(statement, 1, $0, UInt64(bytes.count), copies, UInt8(SQLITE_UTF8))
      }
    }
  }
}
