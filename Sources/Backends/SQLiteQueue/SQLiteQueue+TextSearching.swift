import Foundation
import GRDB
import StorageContract

// GRDB has a class of the same name.
import struct StorageContract.Record

/// Words by FTS5, where there is an index of them, or by looking at every text, one block of the queue for each.
extension SQLiteQueueBackend: TextSearching {
  static var indexesWords: Bool { SQLiteTextIndex.isThere }

  func indexWords(in collection: CollectionID) throws {
    let index = try queue.tables.textIndex(collection)
    try queue.write { db in
      if try String.fetchOne(db, sql: index.existence) == nil { try db.execute(sql: index.creation) }
    }
    indexed.insert(collection)
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    let index = try queue.tables.textIndex(collection)
    // An app knows by its schema whether there is an index; this store is asked once.
    if !looked.contains(collection) {
      if try queue.readOnce({ try String.fetchOne($0, sql: index.existence) }) != nil { indexed.insert(collection) }
      looked.insert(collection)
    }
    return try queue.readOnce { (db: Database) -> [Record] in
      guard !word.text.isEmpty else { return [] }
      let isSearch = word.isPlain && indexed.contains(collection)
      let isCast = word.text.utf8.contains(0)
      let statement = try db.cachedStatement(sql: isSearch ? index.search : index.walk(isCast: isCast))
      // GRDB binds a text up to its first NUL.
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
