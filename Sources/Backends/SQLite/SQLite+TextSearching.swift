import StorageContract

/// Word search by a word index (FTS5). Without an index, or for a word with other characters than letters and digits,
/// the search reads every text.
extension SQLiteBackend: TextSearching {
  static func indexesWords(_ options: Options) -> Bool {
    SQLiteKeys(options).canIndexWords
      && (try? SQLiteAccess(options)).map { SQLiteTextIndex.isThere(in: $0.library) } ?? false
  }

  func indexWords(in collection: CollectionID) throws {
    guard schema.keys.canIndexWords else {
      throw StoreError.failed("FTS5 cannot index the words of this table; leave out rowid=no and columns=json")
    }
    let index = try SQLiteTextIndex(collection, of: schema)
    if try !hasWords(index) { try create(index.creation) }
    indexed.insert(collection)
  }

  private func hasWords(_ index: SQLiteTextIndex) throws -> Bool { try row(index.existence) != nil }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try SQLiteTextIndex(collection, of: schema)
    // The existence of the index is checked only once, because an app knows its schema.
    if !looked.contains(collection) {
      looked.insert(collection)
      if try hasWords(index) { indexed.insert(collection) }
    }
    guard !word.text.isEmpty else { return [] }
    let isSearch = word.isPlain && indexed.contains(collection)
    var records: [Record] = []
    try withStatement(isSearch ? index.search : index.walk(), []) { statement, connection in
      row.bindCopy(of: isSearch ? SQLiteTextIndex.phrase(word) : word.text, to: statement, 1)
      try connection.forEachRow(statement) { row in
        try self.row.withView(row) { if word.isIn($0.name) { records.append($0.record()) } }
        return true
      }
    }
    return records
  }
}
