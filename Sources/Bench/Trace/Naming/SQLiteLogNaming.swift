import StorageVerify

/// The explanations that `trace` prints for system calls on an SQLite write-ahead log. Each frame of the log has a
/// header and the new content of a page.
///
/// Source: sqlite.org/fileformat2.html, section 4.
struct SQLiteLogNaming: FileNaming {
  private var page: Int?
  private var commits = false

  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard file.hasSuffix("-wal") else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .create: return "begins a write-ahead log"
    case .write where call.offset == 0 && call.length == 32: return "log header"
    case .write where call.length == 24:
      guard let number = call.number(at: 0), let size = call.number(at: 4) else { return nil }
      (page, commits) = (number, size > 0)
      return commits ? "frame of page \(number): the commit" : "frame of page \(number)"
    case .write where SQLitePages.isSize(call.length): return page.map { "page \($0)" }
    case .read where SQLitePages.isSize(call.length): return "a page, for the checkpoint or a read"
    case .sync: return commits ? "the commit is on the disk" : "frames are on the disk"
    case .truncate where call.offset == 0: return "empties the log"
    case .unlink: return "the last connection has closed"
    default: return nil
    }
  }
}

/// The explanations that `trace` prints for system calls on the index of an SQLite write-ahead log. All connections
/// share the index in memory.
struct SQLiteLogIndex: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard file.hasSuffix("-shm") else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .create, .open, .map: "index of the log, in shared memory"
    case .unlink: "the last connection has closed"
    default: nil
    }
  }
}
