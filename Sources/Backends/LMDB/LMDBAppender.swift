import CStorageLMDB
import StorageContract

/// A writer of many records to one database. Those past the last key are appended, which skips the search and fills
/// pages.
struct LMDBAppender {
  private let database: MDB_dbi
  private let transaction: OpaquePointer
  private var last: UInt64

  init(_ database: MDB_dbi, _ transaction: OpaquePointer) throws {
    (self.database, self.transaction) = (database, transaction)
    last = try LMDBBackend.lastKey(database, transaction)
  }

  /// Stores a record and replaces one with the same key.
  ///
  /// - Returns: 0 or LMDB's error.
  @inline(__always)
  mutating func put(_ record: UnsafePointer<Record>) -> Int32 {
    let key = LMDBBackend.ordered(record.pointee.id)
    guard key > last else { return putAmong(record) }
    last = key
    return LMDBBackend.put(record, key: key, database, transaction, UInt32(MDB_APPEND))
  }

  /// Stores a record before the last key. It is not inlined, so that the calling loop keeps its variables in registers.
  @inline(never)
  private func putAmong(_ record: UnsafePointer<Record>) -> Int32 { LMDBBackend.put(record, database, transaction) }
}
