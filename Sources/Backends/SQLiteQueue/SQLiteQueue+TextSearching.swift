import Foundation
import GRDB
import StorageContract

// GRDB also has a class named Record.
import struct StorageContract.Record

/// Word search through GRDB by a word index (FTS5). Without an index, or for a word with other characters than letters
/// and digits, the search reads every text.
extension SQLiteQueueBackend: TextSearching {
  static func indexesWords(_ options: Options) -> Bool {
    SQLiteKeys(options).canIndexWords && SQLiteTextIndex.isThere()
  }

  func indexWords(in collection: CollectionID) throws {
    guard queue.tables.schema.keys.canIndexWords else {
      throw StoreError.failed("FTS5 cannot index the words of this table; leave out rowid=no and columns=json")
    }
    let index = try SQLiteTextIndex(collection, of: queue.tables.schema)
    try queue.write { db in
      if try String.fetchOne(db, sql: index.existence) == nil { try db.execute(sql: index.creation) }
    }
    indexed.insert(collection)
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try SQLiteTextIndex(collection, of: queue.tables.schema)
    // The existence of the index is checked only once, because an app knows its schema.
    if !looked.contains(collection) {
      if try queue.readOnce({ try String.fetchOne($0, sql: index.existence) }) != nil { indexed.insert(collection) }
      looked.insert(collection)
    }
    return try queue.readOnce { (db: Database) -> [Record] in
      guard !word.text.isEmpty else { return [] }
      let isSearch = word.isPlain && indexed.contains(collection)
      let isCast = word.text.utf8.contains(0)
      let statement = try db.cachedStatement(sql: isSearch ? index.search : index.walk(isCast: isCast))
      // A text with a NUL is passed as a blob, because GRDB binds a text only up to its first NUL.
      let argument =
        isSearch
        ? SQLiteTextIndex.phrase(word).databaseValue
        : isCast ? Data(word.text.utf8).databaseValue : word.text.databaseValue
      var records: [Record] = []
      try queue.tables.forEach(statement, [argument]) { record in
        if record.withView({ word.isIn($0.name) }) { records.append(record) }
        return true
      }
      return records
    }
  }
}
