import CStorageLMDB
import Foundation
import StorageContract

/// A pointer to a table with the C functions of LMDB or of libmdbx.
typealias MDB = UnsafePointer<MDBCalls>

extension MDB {
  private var isLMDB: Bool { self == storage_lmdb() }

  /// The id of the backend that uses this library: `lmdb` for LMDB, `mdbx` for libmdbx.
  private var backend: StaticString { isLMDB ? "lmdb" : "mdbx" }
  /// The name of the file in which this library keeps the data of a store: `data.mdb` for LMDB, `mdbx.dat` for libmdbx.
  var file: StaticString { isLMDB ? "data.mdb" : "mdbx.dat" }
  /// The prefix of this library's function names: `mdb_` for LMDB, `mdbx_` for libmdbx.
  private var prefix: StaticString { isLMDB ? "mdb_" : "mdbx_" }

  /// The size in bytes that the memory map gets when a store is opened with the option `map=auto`.
  var automaticMapSize: Int { isLMDB ? 64 << 20 : 64 << 30 }
  /// Whether the backend must enlarge a full memory map. False for libmdbx, which reserves a large map.
  var mustGrow: Bool { isLMDB }

  func begin(_ environment: OpaquePointer, _ flags: UInt32) throws -> OpaquePointer {
    try created("transaction", by: "txn_begin") { pointee.txn_begin(environment, nil, flags, &$0) }
  }

  /// Returns the object that a call of LMDB creates.
  func created(
    _ object: StaticString, by call: StaticString, _ body: (inout OpaquePointer?) throws -> Int32
  ) throws -> OpaquePointer {
    var created: OpaquePointer?
    try check(body(&created), call)
    guard let created else {
      throw StoreError.failed("\(prefix)\(call) reported success, but returned no \(object)")
    }
    return created
  }

  @inline(__always)
  func withCursor<Result>(
    _ database: MDB_dbi, _ transaction: OpaquePointer, _ body: (OpaquePointer?) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try check(pointee.cursor_open(transaction, database, &cursor), "cursor_open")
    defer { pointee.cursor_close(cursor) }
    return try body(cursor)
  }

  /// Passes each entry to the body, until the body returns a code other than 0. Returns LMDB's result code.
  @inline(__always)
  func forEachEntry(_ cursor: OpaquePointer?, _ body: (MDB_val, MDB_val) throws -> Int32) rethrows -> Int32 {
    var (key, data) = (MDB_val(), MDB_val())
    var code = pointee.cursor_get(cursor, &key, &data, MDB_FIRST)
    while code == 0 {
      let stop = try body(key, data)
      if stop != 0 { return stop }
      code = pointee.cursor_get(cursor, &key, &data, MDB_NEXT)
    }
    return code == MDB_NOTFOUND ? 0 : code
  }

  @inline(__always)
  func check(_ code: Int32, _ call: StaticString) throws {
    if code != 0 { throw error(code, "\(prefix)\(call)") }
  }

  func checkCommit(_ code: Int32, _ directory: String) throws {
    guard code != 0 else { return }
    // LMDB reports a full disk as EIO, because the disk accepts only part of a write.
    if code == EIO, isDiskFull(directory) {
      throw StoreError.full("\(file): commit: a write was cut short")
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
    let message = pointee.strerror(code).map { String(cString: $0) } ?? "error \(code)"
    let text = "\(file): \(call): \(message)"
    return switch code {
    case MDB_MAP_FULL: .full("\(text); give \(backend) a larger map=, or map=auto")
    case ENOMEM: .failed("\(text); give \(backend) a smaller map=, or map=auto")
    case ENOSPC, EDQUOT: .full(text)
    case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INCOMPATIBLE: .damaged(text)
    case EROFS, EACCES, EPERM: .readOnly(text)
    case EAGAIN, EBUSY, MDB_READERS_FULL: .busy(text)
    default: .failed(text)
    }
  }
}
