import CStorageLMDB
import Foundation
import StorageContract

/// A pointer to a table with the C functions of LMDB or of libmdbx.
typealias MDB = UnsafePointer<MDBCalls>

/// A table of pointers to the C functions of LMDB or of libmdbx, so that the same code can use either library.
struct MDBCalls {
  typealias Code = @convention(c) (OpaquePointer?) -> Int32
  typealias Ending = @convention(c) (OpaquePointer?) -> Void
  typealias Value = UnsafeMutablePointer<MDB_val>?
  typealias Created = UnsafeMutablePointer<OpaquePointer?>?

  /// The id of the backend that uses this library: `lmdb` for LMDB, `mdbx` for libmdbx.
  let backend: StaticString
  /// The name of the file in which this library keeps the data of a store: `data.mdb` for LMDB, `mdbx.dat` for libmdbx.
  let file: StaticString
  /// The prefix of this library's function names: `mdb_` for LMDB, `mdbx_` for libmdbx.
  let prefix: StaticString

  /// The size in bytes that the memory map gets when a store is opened with the option `map=auto`.
  let automaticMapSize: Int
  /// Whether the backend must enlarge a full memory map. False for libmdbx, which reserves a large map.
  let mustGrow: Bool

  let message: @convention(c) (Int32) -> UnsafeMutablePointer<CChar>?
  let create: @convention(c) (Created) -> Int32
  let open: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UInt32, mdb_mode_t) -> Int32
  let close: Ending
  let copy: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UInt32) -> Int32
  let statistics: @convention(c) (OpaquePointer?, UnsafeMutablePointer<MDB_stat>?) -> Int32
  let info: @convention(c) (OpaquePointer?, UnsafeMutablePointer<MDB_envinfo>?) -> Int32
  let flags: @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt32>?) -> Int32
  let setMapSize: @convention(c) (OpaquePointer?, Int) -> Int32
  let setMostReaders: @convention(c) (OpaquePointer?, UInt32) -> Int32
  let setMostDatabases: @convention(c) (OpaquePointer?, MDB_dbi) -> Int32
  let checkReaders: @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?) -> Int32

  let begin: @convention(c) (OpaquePointer?, OpaquePointer?, UInt32, Created) -> Int32
  let transactionNumber: @convention(c) (OpaquePointer?) -> Int
  let commit: Code
  let abort: Ending
  let reset: Ending
  let renew: Code

  let databaseOpen:
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UInt32, UnsafeMutablePointer<MDB_dbi>?) -> Int32
  let databaseFlags: @convention(c) (OpaquePointer?, MDB_dbi, UnsafeMutablePointer<UInt32>?) -> Int32
  let databaseStatistics: @convention(c) (OpaquePointer?, MDB_dbi, UnsafeMutablePointer<MDB_stat>?) -> Int32
  let drop: @convention(c) (OpaquePointer?, MDB_dbi, Int32) -> Int32
  let get: @convention(c) (OpaquePointer?, MDB_dbi, Value, Value) -> Int32
  let put: @convention(c) (OpaquePointer?, MDB_dbi, Value, Value, UInt32) -> Int32
  let delete: @convention(c) (OpaquePointer?, MDB_dbi, Value, Value) -> Int32

  let cursorOpen: @convention(c) (OpaquePointer?, MDB_dbi, Created) -> Int32
  let cursorClose: Ending
  let cursorRenew: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
  let cursorGet: @convention(c) (OpaquePointer?, Value, Value, MDB_cursor_op) -> Int32
  let cursorDelete: @convention(c) (OpaquePointer?, UInt32) -> Int32

  private static func allocated(_ calls: MDBCalls) -> MDB {
    let table = UnsafeMutablePointer<MDBCalls>.allocate(capacity: 1)
    table.initialize(to: calls)
    return MDB(table)
  }

  nonisolated(unsafe) static let lmdb = allocated(
    MDBCalls(
      backend: "lmdb", file: "data.mdb", prefix: "mdb_", automaticMapSize: 64 << 20, mustGrow: true,
      message: mdb_strerror, create: mdb_env_create, open: mdb_env_open,
      close: mdb_env_close, copy: mdb_env_copy2, statistics: mdb_env_stat, info: mdb_env_info,
      flags: mdb_env_get_flags, setMapSize: mdb_env_set_mapsize, setMostReaders: mdb_env_set_maxreaders,
      setMostDatabases: mdb_env_set_maxdbs, checkReaders: mdb_reader_check, begin: mdb_txn_begin,
      transactionNumber: mdb_txn_id, commit: mdb_txn_commit, abort: mdb_txn_abort, reset: mdb_txn_reset,
      renew: mdb_txn_renew, databaseOpen: mdb_dbi_open, databaseFlags: mdb_dbi_flags, databaseStatistics: mdb_stat,
      drop: mdb_drop, get: mdb_get, put: mdb_put, delete: mdb_del, cursorOpen: mdb_cursor_open,
      cursorClose: mdb_cursor_close, cursorRenew: mdb_cursor_renew, cursorGet: mdb_cursor_get,
      cursorDelete: mdb_cursor_del))

  /// The functions of libmdbx, which may be called only after the library has been loaded.
  nonisolated(unsafe) static let mdbx = allocated(
    MDBCalls(
      backend: "mdbx", file: "mdbx.dat", prefix: "mdbx_", automaticMapSize: 64 << 30, mustGrow: false,
      message: storage_mdbx_strerror, create: storage_mdbx_env_create,
      open: storage_mdbx_env_open, close: storage_mdbx_env_close, copy: storage_mdbx_env_copy2,
      statistics: storage_mdbx_env_stat, info: storage_mdbx_env_info, flags: storage_mdbx_env_get_flags,
      setMapSize: storage_mdbx_env_set_mapsize, setMostReaders: storage_mdbx_env_set_maxreaders,
      setMostDatabases: storage_mdbx_env_set_maxdbs, checkReaders: storage_mdbx_reader_check,
      begin: storage_mdbx_txn_begin, transactionNumber: storage_mdbx_txn_id, commit: storage_mdbx_txn_commit,
      abort: storage_mdbx_txn_abort, reset: storage_mdbx_txn_reset, renew: storage_mdbx_txn_renew,
      databaseOpen: storage_mdbx_dbi_open, databaseFlags: storage_mdbx_dbi_flags,
      databaseStatistics: storage_mdbx_stat, drop: storage_mdbx_drop, get: storage_mdbx_get, put: storage_mdbx_put,
      delete: storage_mdbx_del, cursorOpen: storage_mdbx_cursor_open, cursorClose: storage_mdbx_cursor_close,
      cursorRenew: storage_mdbx_cursor_renew, cursorGet: storage_mdbx_cursor_get,
      cursorDelete: storage_mdbx_cursor_del))
}

extension UnsafePointer<MDBCalls> {
  func begin(_ environment: OpaquePointer, _ flags: UInt32) throws -> OpaquePointer {
    try created("transaction", by: "txn_begin") { pointee.begin(environment, nil, flags, &$0) }
  }

  /// Returns the object that a call of LMDB creates.
  func created(
    _ object: StaticString, by call: StaticString, _ body: (inout OpaquePointer?) throws -> Int32
  ) throws -> OpaquePointer {
    var created: OpaquePointer?
    try check(body(&created), call)
    guard let created else {
      throw StoreError.failed("\(pointee.prefix)\(call) reported success, but returned no \(object)")
    }
    return created
  }

  @inline(__always)
  func withCursor<Result>(
    _ database: MDB_dbi, _ transaction: OpaquePointer, _ body: (OpaquePointer?) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try check(pointee.cursorOpen(transaction, database, &cursor), "cursor_open")
    defer { pointee.cursorClose(cursor) }
    return try body(cursor)
  }

  /// Passes each entry to the body, until the body returns a code other than 0. Returns LMDB's result code.
  @inline(__always)
  func forEachEntry(_ cursor: OpaquePointer?, _ body: (MDB_val, MDB_val) throws -> Int32) rethrows -> Int32 {
    var (key, data) = (MDB_val(), MDB_val())
    var code = pointee.cursorGet(cursor, &key, &data, MDB_FIRST)
    while code == 0 {
      let stop = try body(key, data)
      if stop != 0 { return stop }
      code = pointee.cursorGet(cursor, &key, &data, MDB_NEXT)
    }
    return code == MDB_NOTFOUND ? 0 : code
  }

  @inline(__always)
  func check(_ code: Int32, _ call: StaticString) throws {
    if code != 0 { throw error(code, "\(pointee.prefix)\(call)") }
  }

  func checkCommit(_ code: Int32, _ directory: String) throws {
    guard code != 0 else { return }
    // LMDB reports a full disk as EIO, because the disk accepts only part of a write.
    if code == EIO, isDiskFull(directory) {
      throw StoreError.full("\(pointee.file): commit: a write was cut short")
    }
    throw error(code, "commit")
  }

  private func isDiskFull(_ directory: String) -> Bool {
    var status = statvfs()
    return statvfs(directory, &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20
  }

  /// Converts an error code of LMDB or libmdbx, or an errno value (positive), to a ``StoreError``. The code must not be
  /// 0 (success).
  @inline(never)
  private func error(_ code: Int32, _ call: String) -> StoreError {
    let message = pointee.message(code).map { String(cString: $0) } ?? "error \(code)"
    let text = "\(pointee.file): \(call): \(message)"
    return switch code {
    case MDB_MAP_FULL: .full("\(text); give \(pointee.backend) a larger map=, or map=auto")
    case ENOMEM: .failed("\(text); give \(pointee.backend) a smaller map=, or map=auto")
    case ENOSPC, EDQUOT: .full(text)
    case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INCOMPATIBLE: .damaged(text)
    case EROFS, EACCES, EPERM: .readOnly(text)
    case EAGAIN, EBUSY, MDB_READERS_FULL: .busy(text)
    default: .failed(text)
    }
  }
}
