import Foundation
import StorageVerify

extension FileNamings {
  /// Explains the data file of LMDB or libmdbx. A commit overwrites the older meta page.
  ///
  /// Source: lmdb.h and mdb.c (`mdb_env_write_meta`, `mdb_page_flush`) of LMDB 0.9; mdbx.h of libmdbx 0.13.
  static func lmdbData(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard let metaPages: UInt64 = ["data.mdb": 2, "mdbx.dat": 3][file.split(separator: "/").last ?? ""] else {
      return nil
    }
    let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    return { call in
      let isMeta = call.offset < metaPages * pageSize
      switch call.kind {
      // LMDB writes only a part of a meta page, beginning with the field of the map size.
      case .write where isMeta && call.length < pageSize: return "meta page \(call.offset / pageSize): the commit"
      case .read where isMeta: return "meta pages"
      case .write, .read: return call.pages(of: pageSize, first: 0)
      case .sync: return "new pages are on the disk"
      case .map: return "the whole store, in memory"
      case .syncMap where isMeta && call.length <= pageSize:
        return "meta page \(call.offset / pageSize): the commit is on the disk"
      case .syncMap: return "changed pages are on the disk"
      default: return nil
      }
    }
  }

  static func lmdbLocks(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard ["lock.mdb", "mdbx.lck"].contains(file.split(separator: "/").last) else { return nil }
    return { [.open, .create, .map].contains($0.kind) ? "table of readers" : nil }
  }
}
