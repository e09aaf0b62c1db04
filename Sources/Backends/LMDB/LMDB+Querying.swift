import CStorageLMDB
import StorageContract

/// Queries by the indexes of ``LMDBIndexes``. Without a suitable index, a query reads all records. Counts with a
/// condition, counts by group and sums use no index.
extension LMDBBackend: Querying {
  private var scanning: any Querying { Capability.emulatedQuerying(of: self) }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    let collectionIndex = try collection.checked(databases.count)
    guard field != .key, databases[collectionIndex].indexes[field] == nil else { return true }
    try checkOpen()
    guard !isInUse else {
      throw StoreError.busy("\(mdb.file): an index cannot be created inside a read or a transaction")
    }
    if databases[collectionIndex].isMain { try nameRecords() }
    let table = databases[collectionIndex]
    var number = MDB_dbi()
    try write { transaction in
      let code = mdb.pointee.dbi_open(
        transaction, LMDBIndexes.name(field, of: store.collections[collectionIndex]), UInt32(MDB_CREATE), &number)
      return try code == 0 ? table.fill(number, field, transaction) : code
    }
    databases[collectionIndex].indexes[field] = number
    return true
  }

  /// Moves all records to a named LMDB database, in a new file, because indexes need named databases. No other process
  /// may have the store open.
  private func nameRecords() throws {
    try replaceFile("indexed") { newDirectory in
      var target = store
      target.directory = newDirectory
      let copy = try Self.open(mdb, target, UInt32(MDB_NOTLS | MDB_NOSYNC | MDB_NOLOCK))
      defer { mdb.pointee.env_close(copy) }
      var info = MDB_envinfo()
      try mdb.check(mdb.pointee.env_info(environment, &info), "env_info")
      try mdb.check(mdb.pointee.env_set_mapsize(copy, grows ? 2 * info.me_mapsize : info.me_mapsize), "env_set_mapsize")
      let transaction = try mdb.begin(copy, 0)
      do {
        let table = try Self.table(mdb, transaction, store.collections[0], databases[0].form, isReadOnly: false)
        try withReader { reader, _ in
          try forEachEntry(of: databases[0].number, reader) { key, data in
            var (key, data) = (key, data)
            try mdb.check(mdb.pointee.put(transaction, table.number, &key, &data, UInt32(MDB_APPEND)), "put")
          }
        }
      } catch {
        mdb.pointee.txn_abort(transaction)
        throw error
      }
      try mdb.checkCommit(mdb.pointee.txn_commit(transaction), directory)
    }
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let table = databases[try collection.checked(databases.count)]
    guard !table.indexes.isEmpty, let range = LMDBIndexRange.chosen(for: query, table) else {
      return try scanning.find(query, in: collection, body)
    }
    guard query.limit != 0 else { return }
    try withReader { transaction, _ in try range.find(query, transaction, body) }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try scanning.count(predicate, in: collection)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try scanning.countByGroup(predicate, in: collection)
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try scanning.summary(predicate, in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try scanning.summaryByGroup(predicate, in: collection)
  }
}

/// A range of index entries that a query must examine. Some entries may not match the query.
private struct LMDBIndexRange {
  private let table: LMDBTable
  private let field: RecordField
  private let number: MDB_dbi
  /// The lower bound of the index entries, inclusive. An empty array means no bound.
  private let lower: [UInt8]
  /// The upper bound of the index entries, inclusive. Only the first `upper.count` bytes of an entry are compared. An
  /// empty array means no bound.
  private let upper: [UInt8]

  private var mdb: MDB { table.mdb }

  /// Returns a range of the index for the condition, or else for the sort order; nil if there is no such index.
  static func chosen(for query: RecordQuery, _ table: LMDBTable) -> Self? {
    let limited = ranges(query.predicate, table)
    let order = query.order.first?.field
    if let range = limited.first(where: { $0.field == order }) ?? limited.first { return range }
    guard let order, let number = table.indexes[order] else { return nil }
    return Self(table: table, field: order, number: number, lower: [], upper: [])
  }

  private static func ranges(_ predicate: RecordPredicate, _ table: LMDBTable) -> [Self] {
    func range(_ field: RecordField, _ lower: [UInt8], _ upper: [UInt8]) -> [Self] {
      table.indexes[field].map { [Self(table: table, field: field, number: $0, lower: lower, upper: upper)] } ?? []
    }
    switch predicate {
    case .name(let text): return range(.name, table.encoded(text), table.encoded(text))
    case .group(let text): return range(.group, table.encoded(text), table.encoded(text))
    case .namePrefix(let text):
      let prefix = table.encoded(text, isPrefix: true)
      return range(.name, prefix, prefix)
    case .after(let name, let key):
      let value = table.encoded(name)
      let hasOrder = table.form.isOrdered && value.count < table.cutLength
      return range(.name, hasOrder ? value + table.ending(key) : value, [])
    case .score(let scores):
      return range(.score, table.encoded(scores.lowerBound), table.encoded(scores.upperBound))
    case .and(let parts): return parts.flatMap { ranges($0, table) }
    case .everything, .or, .not: return []
    }
  }

  /// Passes the query's results to the body, in sort order, until the body returns false. If the index has another
  /// order, first collects and sorts the results.
  func find(_ query: RecordQuery, _ transaction: OpaquePointer, _ body: (RecordView) throws -> Bool) throws {
    let isSorted = query.order.first?.field == field
    let isDescending = isSorted && query.order[0].isDescending
    let isExact = isSorted && !isDescending && query.order.count == 1 && table.form.isOrdered
    let findsAll = if case .everything = query.predicate { true } else { false }
    var (skipped, passed) = (0, 0)
    var run: (value: [UInt8], records: [Record]) = ([], [])
    func pass(_ view: RecordView) throws -> Bool {
      guard skipped == query.offset else {
        skipped += 1
        return true
      }
      passed += 1
      guard try body(view) else { return false }
      return query.limit.map { passed < $0 } ?? true
    }
    func passRun() throws -> Bool {
      let records = run.records.sorted(by: query.precedes)
      run.records = []
      return try records.allSatisfy { try $0.withView(pass) }
    }
    let isOver = try !forEachEntry(isDescending, transaction) { entry in
      let key = try table.key(ending: entry)
      let value = UnsafeRawBufferPointer(rebasing: entry.dropLast(table.form.size))
      if isSorted, !run.records.isEmpty, !value.elementsEqual(run.value) {
        guard try passRun() else { return false }
      }
      let isInOrder = isExact && value.count < table.cutLength
      if isInOrder, findsAll, skipped < query.offset {
        // Records before the query's offset are counted and not read.
        skipped += 1
        return true
      }
      guard let data = try table.value(key, transaction) else {
        throw StoreError.damaged("\(mdb.file): an index refers to record \(key), which does not exist")
      }
      let view = try LMDBBackend.view(data, key)
      guard query.predicate.matches(view) else { return true }
      if isInOrder { return try pass(view) }
      if run.records.isEmpty { run.value = Array(value) }
      run.records.append(view.record())
      return true
    }
    if !isOver { _ = try passRun() }
  }

  /// Passes each index entry of the range to the body. Stops and returns false when the body returns false.
  private func forEachEntry(
    _ isDescending: Bool, _ transaction: OpaquePointer, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try mdb.withCursor(number, transaction) { cursor in
      var (key, data) = (MDB_val(), MDB_val())
      var code = isDescending ? last(cursor, &key, &data) : first(cursor, &key, &data)
      while code == 0 {
        let entry = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
        let isInside =
          isDescending
          ? !entry.lexicographicallyPrecedes(lower) : !upper.lexicographicallyPrecedes(entry.prefix(upper.count))
        guard isInside else { return true }
        guard try body(entry) else { return false }
        code = mdb.pointee.cursor_get(cursor, &key, &data, isDescending ? MDB_PREV : MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try mdb.check(code, "cursor_get") }
      return true
    }
  }

  private func first(_ cursor: OpaquePointer?, _ key: inout MDB_val, _ data: inout MDB_val) -> Int32 {
    guard !lower.isEmpty else { return mdb.pointee.cursor_get(cursor, &key, &data, MDB_FIRST) }
    return LMDBTable.withValue(lower) { start in
      key = start.pointee
      return mdb.pointee.cursor_get(cursor, &key, &data, MDB_SET_RANGE)
    }
  }

  private func last(_ cursor: OpaquePointer?, _ key: inout MDB_val, _ data: inout MDB_val) -> Int32 {
    // No entry of the index is longer than 511 bytes, so these bytes sort after every entry of the range.
    let end = upper + Array(repeating: 255, count: 511 - upper.count)
    let code = LMDBTable.withValue(end) { end in
      key = end.pointee
      return mdb.pointee.cursor_get(cursor, &key, &data, MDB_SET_RANGE)
    }
    guard code == 0 || code == MDB_NOTFOUND else { return code }
    return mdb.pointee.cursor_get(cursor, &key, &data, code == 0 ? MDB_PREV : MDB_LAST)
  }
}
