import StorageVerify

/// The explanations of system calls on one file, such as `log header`; nil if a call needs none.
typealias FileNaming = (LoggedCall) -> String?

/// The kinds of files, such as SQLite journals, whose system calls the command `trace` can explain.
enum FileNamings {
  /// Returns the explanations for one file, by its path within the store; nil for an unknown kind of file. `calls` are
  /// the system calls of one operation on all files. They help to recognize the kind.
  static func naming(of file: String, in calls: [LoggedCall]) -> FileNaming? {
    // Functions that recognize files by system calls, not by names, come last.
    let all = [
      sqliteJournal, sqliteLog, sqliteLogIndex, sqliteDatabase, lmdbData, lmdbLocks, directory, replacingFile,
      rewrittenFile,
    ]
    return all.lazy.compactMap { $0(file, calls) }.first
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
