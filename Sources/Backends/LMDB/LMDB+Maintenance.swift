import CStorageLMDB
import Foundation
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
        let code = mdb.pointee.stat(transaction, database.number, &statistics)
        guard code == 0, statistics.ms_entries > 0 else { return code }
        count = statistics.ms_entries
        // mdb_drop frees all pages without reading the records.
        return ([database.number] + database.indexes.all.map(\.number)).reduce(0) { code, number in
          code == 0 ? mdb.pointee.drop(transaction, number, 0) : code
        }
      }
      return try mdb.withCursor(database.number, transaction) { cursor in
        try mdb.forEachEntry(cursor) { key, data in
          let view = try Self.view(data, try database.key(key))
          guard predicate.matches(view) else { return 0 }
          count += 1
          let changes = database.indexes.isEmpty ? [] : database.changes(from: view, to: nil)
          // After a deletion, the cursor is before the next record, to which MDB_NEXT moves it.
          let code = mdb.pointee.cursor_del(cursor, 0)
          return code == 0 && !changes.isEmpty ? database.make(changes, transaction) : code
        }
      }
    }
    return count
  }
}

/// A writer of many records to one LMDB database. A record with a new greatest key is appended, without a search.
struct LMDBAppender {
  private let database: LMDBTable
  private let transaction: OpaquePointer
  /// The greatest key, with the sign bit flipped, or 0 without records. With UUID keys, always `UInt64.max`.
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
      let code = database.mdb.pointee.cursor_get(cursor, &key, &data, MDB_LAST)
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

/// Compaction by a copy of the data file without free pages (mdb_env_copy2). No other process may have the store open.
extension LMDBBackend: Compacting {
  func compact() throws {
    try checkOpen()
    guard !isInUse else {
      throw StoreError.busy("\(mdb.file) cannot be compacted inside a read or a transaction")
    }
    // A thread of LMDB writes the copy, with O_DIRECT if the file system supports it.
    try replaceFile("compacted") { newDirectory in
      try mdb.checkCommit(mdb.pointee.env_copy2(environment, newDirectory, UInt32(MDB_CP_COMPACT)), directory)
    }
  }

  /// Replaces the store's data file and reopens the store. `write` creates the new file, named like the old one, in a
  /// temporary directory of the given name.
  func replaceFile(_ name: String, _ write: (_ newDirectory: String) throws -> Void) throws {
    // LMDB writes the copy into a directory. A directory that a crash has left is replaced.
    let newDirectory = store.path(name)
    let copy = "\(newDirectory)/\(mdb.file)"
    func remove() {
      _ = unlink(copy)
      _ = rmdir(newDirectory)
    }
    remove()
    guard mkdir(newDirectory, 0o755) == 0 else { throw StoreError(errno: errno, doing: "creating \(newDirectory)") }
    defer { remove() }
    try write(newDirectory)
    // The copy is synced if commits are synced: at every durability except `crash` (MDB_NOSYNC).
    let syncs = store.durability != .crash
    if syncs { try WholeFile.sync(copy, copy, 0) }
    try reopening {
      guard rename(copy, store.path("\(mdb.file)")) == 0 else {
        throw StoreError(errno: errno, doing: "renaming \(copy)")
      }
      if syncs { try WholeFile.sync(directory, directory) }
    }
  }
}

/// Backups by mdb_env_copy2, without a sync. A backup shows one moment, even during saves of others.
extension LMDBBackend: BackingUp {
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    try checkOpen()
    let flags = isCompact ? UInt32(MDB_CP_COMPACT) : 0
    try mdb.checkCommit(mdb.pointee.env_copy2(environment, directory, flags), directory)
  }
}

/// Inspection of an LMDB store: the numbers of its pages and free pages, and how full the leaf pages are.
extension LMDBBackend: Inspecting {
  func layout() throws -> StoreLayout {
    var (info, statistics, layout) = (MDB_envinfo(), MDB_stat(), StoreLayout())
    try mdb.check(mdb.pointee.env_info(environment, &info), "env_info")
    try mdb.check(mdb.pointee.env_stat(environment, &statistics), "env_stat")
    layout.pageCount = info.me_last_pgno + 1
    let pageSize = Int(statistics.ms_psize)
    try withReader { transaction, _ in
      var free = 0
      // LMDB's database 0 lists the free pages, in one list for each transaction. A list begins with its length.
      try forEachEntry(of: 0, transaction) { _, data in
        free += data.mv_data.loadUnaligned(as: Int.self)
      }
      layout.freePages = free
      var walk = LeafWalk()
      for number in databases.flatMap({ [$0.number] + $0.indexes.all.map(\.number) }) {
        walk.beginTree()
        var last = -1
        try forEachEntry(of: number, transaction) { key, _ in
          // The memory map is page-aligned, so an address divided by the page size identifies the page.
          let address = Int(bitPattern: key.mv_data)
          let page = address / pageSize
          guard page != last else { return }
          last = page
          // A page's header holds the bounds of its free space (MDB_page: mp_lower, mp_upper).
          let header = UnsafeRawPointer(key.mv_data - address % pageSize)
          let lower = header.load(fromByteOffset: 12, as: UInt16.self)
          let upper = header.load(fromByteOffset: 14, as: UInt16.self)
          walk.add(page: page, used: pageSize - Int(upper &- lower), of: pageSize)
        }
      }
      (layout.fragmentation, layout.leafFill) = (walk.fragmentation, walk.fill)
    }
    return layout
  }

  func forEachEntry(
    of database: MDB_dbi, _ transaction: OpaquePointer, _ body: (MDB_val, MDB_val) throws -> Void
  ) throws {
    let code = try mdb.withCursor(database, transaction) { cursor in
      try mdb.forEachEntry(cursor) { key, data in
        try body(key, data)
        return 0
      }
    }
    try mdb.check(code, "cursor_get")
  }
}
