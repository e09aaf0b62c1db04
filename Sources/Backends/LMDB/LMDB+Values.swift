import CStorageLMDB
import Foundation
import StorageContract

/// An LMDB database with the records of one collection, and the indexes of the collection.
struct LMDBTable: @unchecked Sendable {
  // The structure is Sendable because function pointers are constants.

  let mdb: MDB
  let number: MDB_dbi
  let form: KeyForm
  var indexes = LMDBIndexes()

  /// Whether the table is the main database of the LMDB environment, which has the number 1.
  var isMain: Bool { number == 1 }

  @inline(__always)
  func withKey<Result>(_ key: Int64, _ body: (UnsafeMutablePointer<MDB_val>) -> Result) -> Result {
    guard form.isOrdered else { return withUUID(of: key, body) }
    var key = KeyCodec.ordered(key)
    return withUnsafeMutableBytes(of: &key) { bytes in
      var value = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      return body(&value)
    }
  }

  @inline(never)
  private func withUUID<Result>(of key: Int64, _ body: (UnsafeMutablePointer<MDB_val>) -> Result) -> Result {
    form.withBytes(of: key) { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return body(&value)
    }
  }

  @inline(__always)
  func key(_ value: MDB_val) throws -> Int64 {
    guard form.isOrdered else {
      return try form.key(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
    guard value.mv_size == 8 else {
      throw StoreError.damaged("\(mdb.file): a key has \(value.mv_size) bytes, not 8")
    }
    return KeyCodec.key(ordered: value.mv_data.loadUnaligned(as: UInt64.self))
  }

  /// Returns the stored bytes of the record with a key, or nil if there is no such record.
  @inline(__always)
  func value(_ key: Int64, _ transaction: OpaquePointer) throws -> MDB_val? {
    var data = MDB_val()
    let code = withKey(key) { mdb.pointee.get(transaction, number, $0, &data) }
    if code == MDB_NOTFOUND { return nil }
    try mdb.check(code, "get")
    return data
  }

  @inline(__always)
  func put(_ record: UnsafePointer<Record>, _ transaction: OpaquePointer, _ flags: UInt32 = 0) -> Int32 {
    indexes.isEmpty ? putAlone(record, transaction, flags) : putIndexed(record, transaction, flags)
  }

  @inline(__always)
  func putAlone(_ record: UnsafePointer<Record>, _ transaction: OpaquePointer, _ flags: UInt32) -> Int32 {
    let lengths = RecordCodec.Lengths(record)
    var data = MDB_val(mv_size: lengths.encoded, mv_data: nil)
    let code = withKey(record.pointee.id) {
      mdb.pointee.put(transaction, number, $0, &data, flags | UInt32(MDB_RESERVE))
    }
    guard code == 0 else { return code }
    RecordCodec.encode(record, lengths, into: data.mv_data.unsafelyUnwrapped)
    return 0
  }

  @inline(__always)
  func delete(_ key: Int64, _ transaction: OpaquePointer) -> Int32 {
    indexes.isEmpty ? deleteAlone(key, transaction) : deleteIndexed(key, transaction)
  }

  @inline(__always)
  func deleteAlone(_ key: Int64, _ transaction: OpaquePointer) -> Int32 {
    let code = withKey(key) { mdb.pointee.del(transaction, number, $0, nil) }
    return code == MDB_NOTFOUND ? 0 : code
  }

  @inline(__always)
  func walk(_ cursor: OpaquePointer?, _ keys: ClosedRange<Int64>, _ body: (RecordView) throws -> Bool) throws {
    guard form.isOrdered else { return try sortedWalk(cursor, keys, body) }
    var (key, data) = (MDB_val(), MDB_val())
    var code = withKey(keys.lowerBound) { start in
      key = start.pointee
      return mdb.pointee.cursor_get(cursor, &key, &data, MDB_SET_RANGE)
    }
    while code == 0 {
      let id = try self.key(key)
      guard id <= keys.upperBound, try body(LMDBBackend.view(data, id)) else { return }
      code = mdb.pointee.cursor_get(cursor, &key, &data, MDB_NEXT)
    }
    if code != MDB_NOTFOUND { try mdb.check(code, "cursor_get") }
  }

  /// Passes the records in a range of integer keys to the body, in key order. Reads all records, because LMDB has
  /// sorted the records by UUID.
  @inline(never)
  private func sortedWalk(
    _ cursor: OpaquePointer?, _ keys: ClosedRange<Int64>, _ body: (RecordView) throws -> Bool
  ) throws {
    var sorter = KeySorter(keys)
    let code = try mdb.forEachEntry(cursor) { key, data in
      let id = try self.key(key)
      try sorter.add(id) { try LMDBBackend.view(data, id) }
      return 0
    }
    try mdb.check(code, "cursor_get")
    try sorter.forEach(body)
  }

  func count(_ transaction: OpaquePointer) throws -> Int {
    var statistics = MDB_stat()
    try mdb.check(mdb.pointee.stat(transaction, number, &statistics), "stat")
    return statistics.ms_entries
  }
}

extension LMDBBackend {
  @inline(__always)
  static func view(_ value: MDB_val, _ key: Int64) throws -> RecordView {
    try RecordCodec.view(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size), key: key)
  }
}
