import CStorageLMDB
import StorageContract

/// Inspection of an LMDB store: the numbers of its pages and free pages, and how full the leaf pages are.
extension LMDBBackend: Inspecting {
  func layout() throws -> StoreLayout {
    var (info, statistics, layout) = (MDB_envinfo(), MDB_stat(), StoreLayout())
    try mdb.check(mdb.pointee.info(environment, &info), "env_info")
    try mdb.check(mdb.pointee.statistics(environment, &statistics), "env_stat")
    layout.pageCount = info.me_last_pgno + 1
    let pageSize = Int(statistics.ms_psize)
    try withReader { transaction, _ in
      var free = 0
      // LMDB's database 0 lists the free pages, in one list for each transaction. A list begins with its length.
      try forEachEntry(of: 0, transaction) { _, data in
        free += data.mv_data.loadUnaligned(as: Int.self)
      }
      layout.freePages = free
      var walk = LeafWalk()
      for number in databases.flatMap({ [$0.number] + $0.indexes.all.map(\.number) }) {
        walk.beginTree()
        var last = -1
        try forEachEntry(of: number, transaction) { key, _ in
          // The memory map is page-aligned, so an address divided by the page size identifies the page.
          let address = Int(bitPattern: key.mv_data)
          let page = address / pageSize
          guard page != last else { return }
          last = page
          // A page's header holds the bounds of its free space (MDB_page: mp_lower, mp_upper).
          let header = UnsafeRawPointer(key.mv_data - address % pageSize)
          let lower = header.load(fromByteOffset: 12, as: UInt16.self)
          let upper = header.load(fromByteOffset: 14, as: UInt16.self)
          walk.add(page: page, used: pageSize - Int(upper &- lower), of: pageSize)
        }
      }
      (layout.fragmentation, layout.leafFill) = (walk.fragmentation, walk.fill)
    }
    return layout
  }

  func forEachEntry(
    of database: MDB_dbi, _ transaction: OpaquePointer, _ body: (MDB_val, MDB_val) throws -> Void
  ) throws {
    try mdb.withCursor(database, transaction) { cursor in
      var (key, data) = (MDB_val(), MDB_val())
      var code = mdb.pointee.cursorGet(cursor, &key, &data, MDB_FIRST)
      while code == 0 {
        try body(key, data)
        code = mdb.pointee.cursorGet(cursor, &key, &data, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try mdb.check(code, "cursor_get") }
    }
  }
}
