import CStorageLMDB
import Foundation
import StorageContract

extension StoreError {
  /// Sorts LMDB's own codes, which are negative, and those of the system.
  ///
  /// - Parameters:
  ///   - code: What a call returned, not 0.
  ///   - call: The call's name.
  @inline(never)
  init(lmdb code: Int32, _ call: StaticString) {
    let text = "data.mdb: \(call): \(String(cString: mdb_strerror(code)))"
    switch code {
    case MDB_MAP_FULL, ENOSPC, EDQUOT: self = .full(text)
    case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INCOMPATIBLE:
      self = .damaged(text)
    case EROFS, EACCES, EPERM: self = .readOnly(text)
    case EAGAIN, EBUSY, MDB_READERS_FULL: self = .busy(text)
    default: self = .failed(text)
    }
  }
}
