import StorageContract

extension StoreLayout {
  /// Reads the page layout of an SQLite database. The fill and the order of leaf pages are read only if SQLite has the
  /// virtual table `dbstat`.
  init(sqlite path: String, by access: SQLiteAccess = .linked) throws {
    self.init()
    let sqlite = access.library.calls
    let connection = try SQLiteConnection(path: path, by: access)
    defer { try? connection.close() }
    // Another connection may be writing to the write-ahead log.
    _ = sqlite.pointee.busyTimeout(connection.handle, 2_000)
    func number(_ pragma: String) throws -> Int? { try connection.text("PRAGMA \(pragma)").flatMap { Int($0) } }
    (pageCount, freePages) = (try number("page_count"), try number("freelist_count"))
    guard access.library.isCompiled("ENABLE_DBSTAT_VTAB"), let size = try number("page_size") else { return }
    var walk = LeafWalk()
    var tree: String?
    // The column `path` of dbstat orders the pages of a tree by their keys.
    let statement = try connection.prepare(
      "SELECT name, pageno, unused FROM dbstat WHERE pagetype = 'leaf' ORDER BY name, path")
    defer { _ = sqlite.pointee.finalize(statement) }
    try connection.forEachRow(statement) { row in
      let name = sqlite.pointee.columnText(row, 0).map { String(cString: $0) }
      if name != tree { walk.beginTree() }
      tree = name
      walk.add(
        page: Int(sqlite.pointee.columnInt(row, 1)), used: size - Int(sqlite.pointee.columnInt(row, 2)), of: size)
      return true
    }
    (fragmentation, leafFill) = (walk.fragmentation, walk.fill)
  }
}
