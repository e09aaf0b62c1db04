import Foundation
import StorageVerify

/// The explanations that `trace` prints for system calls on the data file of LMDB or libmdbx. A commit overwrites the
/// older meta page.
///
/// Source: lmdb.h and mdb.c (`mdb_env_write_meta`, `mdb_page_flush`) of LMDB 0.9; mdbx.h of libmdbx 0.13.
struct LMDBData: FileNaming {
  private let metaPages: UInt64
  private let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard let pages: UInt64 = ["data.mdb": 2, "mdbx.dat": 3][file.split(separator: "/").last ?? ""] else { return nil }
    metaPages = pages
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .write:
      // LMDB writes only a part of a meta page, beginning with the field of the map size.
      if call.offset < metaPages * pageSize, call.length < pageSize {
        return "meta page \(call.offset / pageSize): the commit"
      }
      return call.pages(of: pageSize, first: 0)
    case .read:
      return call.offset < metaPages * pageSize ? "meta pages" : call.pages(of: pageSize, first: 0)
    case .sync: return "new pages are on the disk"
    case .map: return "the whole store, in memory"
    case .syncMap:
      guard call.offset < metaPages * pageSize, call.length <= pageSize else { return "changed pages are on the disk" }
      return "meta page \(call.offset / pageSize): the commit is on the disk"
    default: return nil
    }
  }
}

/// The explanations that `trace` prints for system calls on the lock file of LMDB or libmdbx. The file contains the
/// shared table of readers.
struct LMDBLocks: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard ["lock.mdb", "mdbx.lck"].contains(file.split(separator: "/").last) else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .open, .create, .map: "table of readers"
    default: nil
    }
  }
}
