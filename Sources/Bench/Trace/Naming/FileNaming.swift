import StorageVerify

/// A type with the explanations that the command `trace` prints for system calls on one kind of file. New types are
/// added to ``FileNamings``.
protocol FileNaming {
  /// Creates the explanations for one file; nil for a kind of file that this Swift type does not explain.
  ///
  /// - Parameters:
  ///   - file: The file's path within the store's directory; empty for the directory itself.
  ///   - calls: The system calls of one operation on all files. They help to recognize the kind of file.
  init?(_ file: String, in calls: ArraySlice<LoggedCall>)

  /// Returns a few words on a system call, such as `log header`; nil if the call needs no explanation.
  mutating func meaning(of call: LoggedCall) -> String?
}

/// The kinds of files, such as SQLite journals, whose system calls the command `trace` can explain.
enum FileNamings {
  /// The types that explain system calls. The first type that recognizes a file is used. Types that recognize files by
  /// system calls, not by names, come last.
  static var all: [any FileNaming.Type] {
    [
      SQLiteJournal.self,
      SQLiteLogNaming.self,
      SQLiteLogIndex.self,
      SQLiteDatabaseNaming.self,
      LMDBData.self,
      LMDBLocks.self,
      DirectoryNames.self,
      ReplacingFile.self,
      RewrittenFile.self,
    ]
  }

  static func naming(of file: String, in calls: ArraySlice<LoggedCall>) -> (any FileNaming)? {
    all.lazy.compactMap { $0.init(file, in: calls) }.first
  }
}

extension LoggedCall {
  /// Returns the big-endian 32-bit number at a byte offset of the written data; nil if the data is shorter.
  func number(at offset: Int) -> Int? {
    guard data.count >= offset + 4 else { return nil }
    return data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the pages of the call, such as `pages 3 to 5`; nil if the call does not cover whole pages.
  ///
  /// - Parameters:
  ///   - size: The bytes of a page.
  ///   - first: The number of the file's first page.
  func pages(of size: UInt64, first: UInt64) -> String? {
    guard size > 0, length > 0, offset.isMultiple(of: size), length.isMultiple(of: size) else { return nil }
    let start = offset / size + first
    let end = start + length / size - 1
    return start == end ? "page \(start)" : "pages \(start) to \(end)"
  }
}
