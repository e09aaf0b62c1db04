import CStorageLMDB
import StorageContract

/// Transactions of the LMDB backend. Other readers see no changes before the commit.
extension LMDBBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try checkOpen()
    guard !isInTransaction else { throw StoreError.nestedTransaction }
    isInTransaction = true
    defer { isInTransaction = false }
    let handle = try mdb.begin(environment, 0)
    let number = mdb.pointee.transactionNumber(handle)
    let enlarge: LMDBTransaction.Enlarge = { old in
      try LMDBTransaction.begin(self.mdb, self.environment, inPlaceOf: old, number: number) { try self.grow() }
    }
    return try LMDBTransaction(mdb, handle, databases, isWriting: true, enlarge: grows ? enlarge : nil)
      .writing(in: directory, body)
  }
}

/// An LMDB transaction, valid only inside the closure that receives it. If the memory map is full, the changes are
/// repeated with a larger map.
final class LMDBTransaction: StoreTransaction {
  /// A closure that replaces the transaction `old` by one with a larger memory map. `old` is nil if LMDB has already
  /// ended the transaction.
  typealias Enlarge = (_ old: OpaquePointer?) throws -> OpaquePointer

  private let mdb: MDB
  private let databases: [LMDBTable]
  private let isWriting: Bool
  private let enlarge: Enlarge?
  private var handle: OpaquePointer?
  private var changes: [Change] = []
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  /// Wraps an open LMDB transaction. `enlarge` is called when LMDB's memory map is full; nil means that the map cannot
  /// grow.
  init(_ mdb: MDB, _ handle: OpaquePointer, _ databases: [LMDBTable], isWriting: Bool, enlarge: Enlarge? = nil) {
    self.mdb = mdb
    self.handle = handle
    self.databases = databases
    self.isWriting = isWriting
    self.enlarge = enlarge
  }

  func writing<Result>(in directory: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
    defer {
      hasEnded = true
      if let handle { mdb.pointee.abort(handle) }
      handle = nil
    }
    let result = try body(self)
    let code = try withRoom {
      // LMDB frees the transaction even if the commit fails.
      let ending = handle
      handle = nil
      return mdb.pointee.commit(ending)
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
    if enlarge != nil { changes.append(change) }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    let (handle, database) = try openTable(collection)
    var data = MDB_val()
    let code = database.withKey(key) { mdb.pointee.get(handle, database.number, $0, &data) }
    if code == MDB_NOTFOUND { return false }
    try mdb.check(code, "get")
    guard isWriting else {
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
    var opened: OpaquePointer?
    try mdb.check(mdb.pointee.cursorOpen(handle, database.number, &opened), "cursor_open")
    defer { mdb.pointee.cursorClose(opened) }
    try database.walk(opened, keys, body)
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
  /// with a larger map.
  private func withRoom(_ step: () throws -> Int32) throws -> Int32 {
    var code = try step()
    while code == MDB_MAP_FULL, let enlarge {
      guard scans.values.allSatisfy({ $0 == 0 }) else {
        throw StoreError.failed(
          "LMDB's map is full and cannot grow inside a scan; make the changes after the scan, in a new transaction")
      }
      let old = handle
      handle = nil
      handle = try enlarge(old)
      code = 0
      for change in changes where code == 0 { code = try attempt(change) }
      if code == 0 { code = try step() }
    }
    return code
  }

  /// Aborts the write transaction `old`, enlarges the memory map with `grow`, and begins another write transaction.
  ///
  /// - Parameter number: The transaction number (mdb_txn_id) that the new transaction must have.
  /// - Throws: ``StoreError/busy(_:)`` if the number is different, because another process has written to the store.
  static func begin(
    _ mdb: MDB, _ environment: OpaquePointer, inPlaceOf old: OpaquePointer?, number: Int, grow: () throws -> Void
  ) throws -> OpaquePointer {
    if let old { mdb.pointee.abort(old) }
    try grow()
    let new = try mdb.begin(environment, 0)
    guard mdb.pointee.transactionNumber(new) == number else {
      mdb.pointee.abort(new)
      throw StoreError.busy("\(mdb.pointee.file): another process wrote while the map was made larger; try again")
    }
    return new
  }
}
