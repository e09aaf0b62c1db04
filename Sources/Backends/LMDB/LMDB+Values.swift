import CStorageLMDB
import Foundation
import StorageContract

extension LMDBBackend {
  @inline(__always)
  static func ordered(_ key: Int64) -> UInt64 { KeyCodec.ordered(key) }

  @inline(__always)
  static func withKey<Result>(_ key: Int64, _ body: (UnsafeMutablePointer<MDB_val>) -> Result)
    -> Result
  {
    withOrdered(ordered(key), body)
  }

  /// Passes a key to the body as an LMDB value. The bytes of the key are already in LMDB's order.
  @inline(__always)
  private static func withOrdered<Result>(_ key: UInt64, _ body: (UnsafeMutablePointer<MDB_val>) -> Result) -> Result {
    var key = key
    return withUnsafeMutableBytes(of: &key) { bytes in
      var value = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      return body(&value)
    }
  }

  @inline(__always)
  static func key(_ value: MDB_val) throws -> Int64 {
    guard value.mv_size == 8 else { throw StoreError.damaged("data.mdb: a key of \(value.mv_size) bytes") }
    return KeyCodec.key(ordered: value.mv_data.loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  static func view(_ value: MDB_val, _ key: Int64) throws -> RecordView {
    try RecordCodec.view(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size), key: key)
  }

  /// Stores a record in LMDB in place of any record with the same key.
  ///
  /// - Returns: 0 or LMDB's error code.
  @inline(__always)
  static func put(_ record: UnsafePointer<Record>, _ database: MDB_dbi, _ transaction: OpaquePointer) -> Int32 {
    put(record, key: ordered(record.pointee.id), database, transaction, 0)
  }

  /// Stores a record in LMDB under a key whose bytes are already in LMDB's order. `flags` are those of `mdb_put`.
  @inline(__always)
  static func put(
    _ record: UnsafePointer<Record>, key: UInt64, _ database: MDB_dbi, _ transaction: OpaquePointer, _ flags: UInt32
  ) -> Int32 {
    let lengths = RecordCodec.Lengths(record)
    var data = MDB_val(mv_size: lengths.encoded, mv_data: nil)
    let code = withOrdered(key) {
      mdb_put(transaction, database, $0, &data, flags | UInt32(MDB_RESERVE))
    }
    guard code == 0 else { return code }
    RecordCodec.encode(record, lengths, into: data.mv_data.unsafelyUnwrapped)
    return 0
  }

  /// Deletes the record with a key from LMDB. If the record does not exist, nothing changes.
  ///
  /// - Returns: 0 or LMDB's error code.
  @inline(__always)
  static func delete(_ key: Int64, _ database: MDB_dbi, _ transaction: OpaquePointer) -> Int32 {
    let code = withKey(key) { mdb_del(transaction, database, $0, nil) }
    return code == MDB_NOTFOUND ? 0 : code
  }

  /// Passes the records with keys in a range to the body, in key order, until the body returns false.
  @inline(__always)
  static func walk(
    _ cursor: OpaquePointer?, _ keys: ClosedRange<Int64>, _ body: (RecordView) throws -> Bool
  ) throws {
    var (key, data) = (MDB_val(), MDB_val())
    var code = withKey(keys.lowerBound) { start in
      key = start.pointee
      return mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE)
    }
    while code == 0 {
      let id = try Self.key(key)
      guard id <= keys.upperBound, try body(view(data, id)) else { return }
      code = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)
    }
    if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
  }

  static func count(of database: MDB_dbi, _ transaction: OpaquePointer) throws -> Int {
    var statistics = MDB_stat()
    try check(mdb_stat(transaction, database, &statistics), "mdb_stat")
    return statistics.ms_entries
  }

  static func begin(_ environment: OpaquePointer, _ flags: UInt32) throws -> OpaquePointer {
    var started: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, flags, &started), "mdb_txn_begin")
    guard let started else { throw StoreError.failed("mdb_txn_begin: no transaction") }
    return started
  }

  @inline(__always)
  static func check(_ code: Int32, _ call: StaticString) throws {
    if code != 0 { throw StoreError(lmdb: code, call) }
  }
}

extension StoreError {
  /// Converts an error code of LMDB into a store error. Negative codes are LMDB's own, positive codes the system's.
  ///
  /// - Parameters:
  ///   - code: The result of the LMDB call, not 0.
  ///   - call: The name of the LMDB function.
  @inline(never)
  init(lmdb code: Int32, _ call: StaticString) {
    let text = "data.mdb: \(call): \(String(cString: mdb_strerror(code)))"
    switch code {
    case MDB_MAP_FULL: self = .full("\(text); give lmdb a larger map=, or map=auto")
    case ENOMEM: self = .failed("\(text); give lmdb a smaller map=, or map=auto")
    case ENOSPC, EDQUOT: self = .full(text)
    case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INCOMPATIBLE:
      self = .damaged(text)
    case EROFS, EACCES, EPERM: self = .readOnly(text)
    case EAGAIN, EBUSY, MDB_READERS_FULL: self = .busy(text)
    default: self = .failed(text)
    }
  }
}
