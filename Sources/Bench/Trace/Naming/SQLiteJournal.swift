import StorageVerify

/// The explanations that `trace` prints for system calls on an SQLite rollback journal. A commit removes or invalidates
/// the journal.
///
/// Source: sqlite.org/fileformat2.html, section 3, and sqlite.org/atomiccommit.html.
struct SQLiteJournal: FileNaming {
  /// The byte offset of the first page in the journal. The offset is the sector size in the journal's header, such as
  /// 512.
  private var start: UInt64 = 512
  private var pageSize: UInt64?
  private let changesDatabase: Bool
  private var isSynced = false

  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard file.hasSuffix("-journal") else { return nil }
    let database = file.dropLast("-journal".count)
    changesDatabase = calls.contains { $0.name == database && $0.kind == .write }
    pageSize =
      calls.first { $0.name == file && $0.kind == .write && $0.offset > 0 && SQLitePages.isSize($0.length) }?
      .length
  }

  mutating func meaning(of call: LoggedCall) -> String? {
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

  private var end: String {
    changesDatabase ? "the commit: nothing is rolled back any more" : "the end, with nothing changed"
  }

  private mutating func header(_ call: LoggedCall) -> String? {
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

  private func record(_ call: LoggedCall) -> String? {
    guard let pageSize, call.offset >= start else { return nil }
    switch (call.offset - start) % (pageSize + 8) {
    case 0 where call.length == 4: return call.number(at: 0).map { "page \($0): its number" }
    case 4 where call.length == pageSize: return "the page as it was"
    case pageSize + 4 where call.length == 4: return "its checksum"
    default: return nil
    }
  }
}
