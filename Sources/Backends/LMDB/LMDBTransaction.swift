import CStorageLMDB
import StorageContract

/// Transactions of the LMDB backend. Other readers see no changes before the commit.
extension LMDBBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try checkOpen()
    guard !isInTransaction else { throw StoreError.nestedTransaction }
    isInTransaction = true
    defer { isInTransaction = false }
    let transaction = try LMDBTransaction(
      mdb, environment, mdb.begin(environment, 0), databases, isWriting: true, grow: grows ? { try self.grow() } : nil)
    return try transaction.writing(in: directory, body)
  }
}

/// An LMDB transaction, valid only inside the closure that receives it. If the memory map is full, the changes are
/// repeated with a larger map.
final class LMDBTransaction: StoreTransaction {
  private let mdb: MDB
  private let environment: OpaquePointer
  private let databases: [LMDBTable]
  /// The number of a write transaction (mdb_txn_id). Nil for a read transaction.
  private let number: Int?
  private let grow: (() throws -> Void)?
  private var handle: OpaquePointer?
  private var changes: [Change] = []
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  /// Wraps an open LMDB transaction. `grow` enlarges a full memory map; nil means that the map cannot grow.
  init(
    _ mdb: MDB, _ environment: OpaquePointer, _ handle: OpaquePointer, _ databases: [LMDBTable], isWriting: Bool,
    grow: (() throws -> Void)? = nil
  ) {
    (self.mdb, self.environment, self.handle, self.databases) = (mdb, environment, handle, databases)
    number = isWriting ? mdb.pointee.txn_id(handle) : nil
    self.grow = grow
  }

  func writing<Result>(in directory: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
    defer {
      hasEnded = true
      if let handle { mdb.pointee.txn_abort(handle) }
      handle = nil
    }
    let result = try body(self)
    let code = try withRoom {
      // LMDB frees the transaction even if the commit fails.
      let ending = handle
      handle = nil
      return mdb.pointee.txn_commit(ending)
    }
    try mdb.checkCommit(code, directory)
    return result
  }

  func reading<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    defer { hasEnded = true }
    return try body(self)
  }

  func apply(_ change: Change) throws {
    guard scans[change.collection, default: 0] == 0 else { throw StoreError.changeInsideScan(of: change.collection) }
    try mdb.check(try withRoom { try attempt(change) }, "commit")
    if grow != nil { changes.append(change) }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    let (handle, database) = try openTable(collection)
    guard let data = try database.value(key, handle) else { return false }
    guard number != nil else {
      try body(LMDBBackend.view(data, key))
      return true
    }
    // The body may change the record and thus its page, so it reads a copy.
    let copy = [UInt8](UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size))
    try copy.withUnsafeBytes { try body(RecordCodec.view($0, key: key)) }
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let (handle, database) = try openTable(collection)
    scans[collection, default: 0] += 1
    defer { scans[collection, default: 0] -= 1 }
    try mdb.withCursor(database.number, handle) { cursor in try database.walk(cursor, keys, body) }
  }

  func count(in collection: CollectionID) throws -> Int {
    let (handle, database) = try openTable(collection)
    return try database.count(handle)
  }

  private func openTable(_ collection: CollectionID) throws -> (handle: OpaquePointer, database: LMDBTable) {
    guard !hasEnded, let handle else {
      throw StoreError.failed("the transaction was used after its block; copy what you need inside the block")
    }
    return (handle, databases[try collection.checked(databases.count)])
  }

  private func attempt(_ change: Change) throws -> Int32 {
    let (handle, database) = try openTable(change.collection)
    if change.isDelete { return database.delete(change.record.id, handle) }
    return withUnsafePointer(to: change) { database.put($0.record, handle) }
  }

  /// Runs a step of a write transaction and returns LMDB's result code. If the memory map is full, repeats all changes
  /// with a larger map. Throws ``StoreError/busy(_:)`` if another process has written meanwhile.
  private func withRoom(_ step: () throws -> Int32) throws -> Int32 {
    var code = try step()
    while code == MDB_MAP_FULL, let grow {
      guard scans.values.allSatisfy({ $0 == 0 }) else {
        throw StoreError.failed(
          "LMDB's map is full and cannot grow inside a scan; make the changes after the scan, in a new transaction")
      }
      // LMDB has already ended the transaction if the step was its commit.
      if let handle { mdb.pointee.txn_abort(handle) }
      handle = nil
      try grow()
      let new = try mdb.begin(environment, 0)
      guard mdb.pointee.txn_id(new) == number else {
        mdb.pointee.txn_abort(new)
        throw StoreError.busy("\(mdb.file): another process wrote while the map was made larger; try again")
      }
      handle = new
      code = 0
      for change in changes where code == 0 { code = try attempt(change) }
      if code == 0 { code = try step() }
    }
    return code
  }
}
