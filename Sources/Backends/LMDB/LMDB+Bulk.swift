import CStorageLMDB
import StorageContract

/// Bulk operations in one write transaction. Imported records with ascending keys are appended; a cursor deletes.
extension LMDBBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    let database = databases[try collection.checked(databases.count)]
    try write { transaction in
      var appender = try LMDBAppender(database, transaction)
      return records.withUnsafeBufferPointer { records in
        for place in records.indices {
          let code = appender.put(records.baseAddress.unsafelyUnwrapped + place)
          if code != 0 { return code }
        }
        return 0
      }
    }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    let database = databases[try collection.checked(databases.count)]
    var count = 0
    try write { transaction in
      count = 0
      if case .everything = predicate {
        var statistics = MDB_stat()
        let code = mdb_stat(transaction, database, &statistics)
        guard code == 0, statistics.ms_entries > 0 else { return code }
        count = statistics.ms_entries
        // Frees all pages without reading the records.
        return mdb_drop(transaction, database, 0)
      }
      var opened: OpaquePointer?
      try Self.check(mdb_cursor_open(transaction, database, &opened), "mdb_cursor_open")
      defer { mdb_cursor_close(opened) }
      var (key, data) = (MDB_val(), MDB_val())
      var code = mdb_cursor_get(opened, &key, &data, MDB_FIRST)
      while code == 0 {
        if predicate.matches(try Self.view(data, try Self.key(key))) {
          count += 1
          code = mdb_cursor_del(opened, 0)
          if code != 0 { return code }
        }
        // After a deletion, the cursor is before the next record, and this moves it there.
        code = mdb_cursor_get(opened, &key, &data, MDB_NEXT)
      }
      return code == MDB_NOTFOUND ? 0 : code
    }
    return count
  }
}
