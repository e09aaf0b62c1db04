import Foundation
import StorageContract

extension LevelDBBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    let batch = library.writebatch_create()
    defer { library.writebatch_destroy(batch) }
    try records.withUnsafeBufferPointer { records in
      for index in records.indices { try put(records.baseAddress.unsafelyUnwrapped + index, in: collection, batch) }
    }
    try write(batch) { records.map { .put($0, in: collection) } }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    let batch = library.writebatch_create()
    defer { library.writebatch_destroy(batch) }
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

/// Compaction by LevelDB, which merges all its files and drops deleted and replaced records.
extension LevelDBBackend: Compacting {
  func compact() throws {
    // Two deletions of missing keys make a file that spans all keys. Without such a file, LevelDB would not compact its
    // last level.
    try settle()
    let batch = library.writebatch_create()
    defer { library.writebatch_destroy(batch) }
    for edge in [[], [UInt8(0xff)]] { library.writebatch_delete(batch, edge, edge.count) }
    try write(batch) { [] }
    try compact(from: nil, to: nil)
  }

  /// Writes LevelDB's memory table to a file, then compacts the files with keys from `first` to `last`. Nil means no
  /// limit.
  func compact(from first: [UInt8]?, to last: [UInt8]?) throws {
    if undo != nil { try recover() }
    library.compact_range(try opened(), first, first?.count ?? 0, last, last?.count ?? 0)
    // LevelDB reports a failed compaction only to the next write, so an empty batch is written.
    let batch = library.writebatch_create()
    defer { library.writebatch_destroy(batch) }
    try write(batch) { [] }
  }
}

/// Inspection of a LevelDB store: the number of sorted files, and the maximum number of files that a search for a key
/// may read.
extension LevelDBBackend: Inspecting {
  func layout() throws -> StoreLayout {
    let database = try opened()
    var layout = StoreLayout()
    // LevelDB has seven levels (`kNumLevels`). The loop ends, because there is no property for an eighth.
    var files: [Int] = []
    while let text = library.property("leveldb.num-files-at-level\(files.count)", of: database), let count = Int(text) {
      files.append(count)
    }
    guard let first = files.first else { return layout }
    layout.sortedFiles = files.reduce(0, +)
    layout.sortedRuns = first + files.dropFirst().count { $0 > 0 }
    return layout
  }
}
