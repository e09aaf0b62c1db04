import StorageVerify

/// The explanations that `trace` prints for system calls on an SQLite database file. Its pages are numbered from 1.
///
/// Source: sqlite.org/fileformat2.html, section 1.
struct SQLiteDatabaseNaming: FileNaming {
  private static let endings = [".sqlite", ".sqlite3", ".db"]
  private var pageSize: UInt64?

  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    let companions = ["-journal", "-wal", "-shm"].map { file + $0 }
    guard Self.endings.contains(where: file.hasSuffix) || calls.contains(where: { companions.contains($0.name) }) else {
      return nil
    }
    let whole = calls.first { $0.name == file && $0.kind == .write && SQLitePages.isSize($0.length) }
    pageSize = whole?.length
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .write, .read:
      // These 16 bytes contain the change counter and the database size, which show whether cached pages are current.
      if call.kind == .read, call.offset == 24, call.length == 16 { return "change counter: are cached pages current?" }
      if call.kind == .read, call.offset == 0, call.length == 100 { return "database header" }
      let size = pageSize ?? (SQLitePages.isSize(call.length) ? call.length : 0)
      guard let pages = call.pages(of: size, first: 1) else { return nil }
      return call.offset == 0 ? "\(pages): header and schema" : pages
    case .truncate:
      guard let pageSize, call.offset.isMultiple(of: pageSize) else { return nil }
      return "to \(call.offset / pageSize) pages"
    case .sync: return "changed pages are on the disk"
    default: return nil
    }
  }
}

/// The valid page sizes of SQLite files.
enum SQLitePages {
  static func isSize(_ length: UInt64) -> Bool { (512...65_536).contains(length) && length.nonzeroBitCount == 1 }
}
