import StorageContract

/// Bulk operations: an import in one block with a cached statement, and a deletion by one statement.
extension SQLiteQueueBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try queue.write { db in try queue.tables.put(records, collection, db) }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try queue.write { db in try queue.tables.delete(predicate, collection, db) }
  }
}
