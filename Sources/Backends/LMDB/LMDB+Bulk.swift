import CStorageLMDB
import StorageContract

extension LMDBBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    let database = databases[try collection.checked(databases.count)]
    try write { transaction in
      var appender = try LMDBAppender(database, transaction)
      return records.withUnsafeBufferPointer { records in
        for index in records.indices {
          let code = appender.put(records.baseAddress.unsafelyUnwrapped + index)
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
        let code = mdb.pointee.databaseStatistics(transaction, database.number, &statistics)
        guard code == 0, statistics.ms_entries > 0 else { return code }
        count = statistics.ms_entries
        // mdb_drop frees all pages without reading the records.
        return ([database.number] + database.indexes.all.map(\.number)).reduce(0) { code, number in
          code == 0 ? mdb.pointee.drop(transaction, number, 0) : code
        }
      }
      return try mdb.withCursor(database.number, transaction) { cursor in
        var (key, data) = (MDB_val(), MDB_val())
        var code = mdb.pointee.cursorGet(cursor, &key, &data, MDB_FIRST)
        while code == 0 {
          let view = try Self.view(data, try database.key(key))
          if predicate.matches(view) {
            count += 1
            let changes = database.indexes.isEmpty ? [] : database.changes(from: view, to: nil)
            code = mdb.pointee.cursorDelete(cursor, 0)
            if code == 0, !changes.isEmpty { code = database.make(changes, transaction) }
            if code != 0 { return code }
          }
          // After a deletion, the cursor is before the next record, and this call moves the cursor to that record.
          code = mdb.pointee.cursorGet(cursor, &key, &data, MDB_NEXT)
        }
        return code == MDB_NOTFOUND ? 0 : code
      }
    }
    return count
  }
}

/// A writer of many records to one LMDB database. A record with a new greatest key is appended, without a search.
struct LMDBAppender {
  private let database: LMDBTable
  private let transaction: OpaquePointer
  /// The greatest key in the database, with the sign bit flipped, or 0 if the database is empty. With UUID keys, the
  /// value is always `UInt64.max`.
  private var last: UInt64

  init(_ database: LMDBTable, _ transaction: OpaquePointer) throws {
    (self.database, self.transaction) = (database, transaction)
    guard database.form.isOrdered else {
      // No key is greater than the maximum, so records with UUID keys are never appended.
      last = .max
      return
    }
    last = try database.mdb.withCursor(database.number, transaction) { cursor in
      var (key, data) = (MDB_val(), MDB_val())
      let code = database.mdb.pointee.cursorGet(cursor, &key, &data, MDB_LAST)
      if code == MDB_NOTFOUND { return 0 }
      try database.mdb.check(code, "cursor_get")
      return KeyCodec.ordered(try database.key(key))
    }
  }

  @inline(__always)
  mutating func put(_ record: UnsafePointer<Record>) -> Int32 {
    let key = KeyCodec.ordered(record.pointee.id)
    guard key > last else { return putAmong(record) }
    last = key
    return database.put(record, transaction, UInt32(MDB_APPEND))
  }

  /// Stores a record whose key is not the greatest in the database. The method is not inlined, to keep its caller fast.
  @inline(never)
  private func putAmong(_ record: UnsafePointer<Record>) -> Int32 { database.put(record, transaction) }
}
