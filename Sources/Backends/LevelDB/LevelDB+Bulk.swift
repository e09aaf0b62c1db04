import StorageContract

/// One batch for all records.
extension LevelDBBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    let batch = library.makeBatch()
    defer { library.endBatch(batch) }
    try records.withUnsafeBufferPointer { records in
      for place in records.indices { try put(records.baseAddress.unsafelyUnwrapped + place, in: collection, batch) }
    }
    try write(batch) { records.map { .put($0, in: collection) } }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    let batch = library.makeBatch()
    defer { library.endBatch(batch) }
    var keys: [Int64] = []
    try scan(.all, in: collection) { view in
      guard predicate.matches(view) else { return true }
      keys.append(view.id)
      try delete(view.id, in: collection, batch)
      return true
    }
    if !keys.isEmpty { try write(batch) { keys.map { .delete($0, in: collection) } } }
    return keys.count
  }
}

/// LevelDB's manual compaction: everything is merged into one level, and what was deleted or replaced is left out.
extension LevelDBBackend: Compacting {
  func compact() throws {
    // LevelDB rewrites a level only on the way to the next one that has files. What lies in the last one stays as it is,
    // with all that was deleted while it was still in memory, unless files above it span its keys. Two deletions of what
    // is not there, one before all keys and one behind them, are such a file.
    try settle()
    let batch = library.makeBatch()
    defer { library.endBatch(batch) }
    for edge in [[], [UInt8(0xff)]] { library.delete(batch, edge, edge.count) }
    try write(batch) { [] }
    try compact(from: nil, to: nil)
  }

  /// Compacts a range of keys, nil being the ends, after writing the table in memory to a file.
  func compact(from first: [UInt8]?, to last: [UInt8]?) throws {
    if undo != nil { try recover() }
    library.compactRange(try opened(), first, first?.count ?? 0, last, last?.count ?? 0)
    // Whether it went well LevelDB tells to the next write: one of nothing.
    let batch = library.makeBatch()
    defer { library.endBatch(batch) }
    try write(batch) { [] }
  }
}
