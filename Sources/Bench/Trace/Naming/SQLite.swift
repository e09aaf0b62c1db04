import StorageVerify

/// The files of SQLite.
///
/// Source: sqlite.org/fileformat2.html, sections 1 (database), 3 (rollback journal) and 4 (write-ahead log), and
/// sqlite.org/atomiccommit.html.
extension FileNamings {
  /// Explains an SQLite rollback journal. A commit removes or invalidates the journal.
  static func sqliteJournal(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard file.hasSuffix("-journal") else { return nil }
    let database = file.dropLast("-journal".count)
    let changesDatabase = calls.contains { $0.name == database && $0.kind == .write }
    let end = changesDatabase ? "the commit: nothing is rolled back any more" : "the end, with nothing changed"
    let pageSize =
      calls.first { $0.name == file && $0.kind == .write && $0.offset > 0 && isPageSize($0.length) }?.length
    // The byte offset of the first page. The offset is the sector size in the journal's header.
    var start: UInt64 = 512
    var isSynced = false
    func header(_ call: LoggedCall) -> String? {
      if call.data.count >= 28, call.data.prefix(28).allSatisfy({ $0 == 0 }) { return end }
      if let sector = call.number(at: 20), sector > 0 { start = UInt64(sector) }
      switch call.number(at: 8) {
      case nil: return nil
      case 0: return "header: not valid yet"
      case 0xFFFF_FFFF: return "header: valid at once, for as many pages as follow"
      case 1: return "header: valid now, 1 page"
      case let count?: return "header: valid now, \(count) pages"
      }
    }
    func record(_ call: LoggedCall) -> String? {
      guard let pageSize, call.offset >= start else { return nil }
      switch (call.offset - start) % (pageSize + 8) {
      case 0 where call.length == 4: return call.number(at: 0).map { "page \($0): its number" }
      case 4 where call.length == pageSize: return "the page as it was"
      case pageSize + 4 where call.length == 4: return "its checksum"
      default: return nil
      }
    }
    return { call in
      switch call.kind {
      case .create: return "begins a rollback journal"
      case .write: return call.offset == 0 ? header(call) : record(call)
      case .read: return call.length == 8 ? "does an older header follow?" : "plays it back"
      case .sync:
        defer { isSynced = true }
        return isSynced ? "from here on a crash rolls back" : "old pages are on the disk"
      case .unlink: return end
      case .truncate where call.offset == 0: return end
      default: return nil
      }
    }
  }

  /// Explains an SQLite write-ahead log. Each frame of the log has a header and the new content of a page.
  static func sqliteLog(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard file.hasSuffix("-wal") else { return nil }
    var page: Int?
    var commits = false
    return { call in
      switch call.kind {
      case .create: return "begins a write-ahead log"
      case .write where call.offset == 0 && call.length == 32: return "log header"
      case .write where call.length == 24:
        guard let number = call.number(at: 0), let size = call.number(at: 4) else { return nil }
        (page, commits) = (number, size > 0)
        return commits ? "frame of page \(number): the commit" : "frame of page \(number)"
      case .write where isPageSize(call.length): return page.map { "page \($0)" }
      case .read where isPageSize(call.length): return "a page, for the checkpoint or a read"
      case .sync: return commits ? "the commit is on the disk" : "frames are on the disk"
      case .truncate where call.offset == 0: return "empties the log"
      case .unlink: return "the last connection has closed"
      default: return nil
      }
    }
  }

  /// Explains the index of an SQLite write-ahead log. All connections share the index in memory.
  static func sqliteLogIndex(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard file.hasSuffix("-shm") else { return nil }
    return { call in
      switch call.kind {
      case .create, .open, .map: "index of the log, in shared memory"
      case .unlink: "the last connection has closed"
      default: nil
      }
    }
  }

  static func sqliteDatabase(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    let companions = ["-journal", "-wal", "-shm"].map { file + $0 }
    guard
      [".sqlite", ".sqlite3", ".db"].contains(where: file.hasSuffix)
        || calls.contains(where: { companions.contains($0.name) })
    else { return nil }
    let pageSize = calls.first { $0.name == file && $0.kind == .write && isPageSize($0.length) }?.length
    return { call in
      switch call.kind {
      // These 16 bytes contain the change counter and the database size, which show whether cached pages are current.
      case .read where call.offset == 24 && call.length == 16: return "change counter: are cached pages current?"
      case .read where call.offset == 0 && call.length == 100: return "database header"
      case .write, .read:
        let pages = call.pages(of: pageSize ?? (isPageSize(call.length) ? call.length : 0), first: 1)
        return pages.map { call.offset == 0 ? "\($0): header and schema" : $0 }
      case .truncate:
        guard let pageSize, call.offset.isMultiple(of: pageSize) else { return nil }
        return "to \(call.offset / pageSize) pages"
      case .sync: return "changed pages are on the disk"
      default: return nil
      }
    }
  }

  private static func isPageSize(_ length: UInt64) -> Bool {
    (512...65_536).contains(length) && length.nonzeroBitCount == 1
  }
}
