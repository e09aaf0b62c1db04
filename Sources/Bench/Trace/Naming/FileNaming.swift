import StorageVerify

/// An explainer of the system calls on one file, for the output of the command `trace`. The explainer gets the calls in
/// order, and returns texts such as `meta page 1: the commit`. To add a kind of file, write a conforming type and add
/// it to ``FileNamings``.
protocol FileNaming {
  /// Creates an explainer of the system calls on a file; nil if the file is not of this type's kind.
  ///
  /// - Parameters:
  ///   - file: The file's name within the store's directory; empty for that directory.
  ///   - calls: The system calls of one operation on all files, by which some kinds of files are recognized.
  init?(_ file: String, in calls: ArraySlice<LoggedCall>)

  /// Returns an explanation of a system call on the file in a few words, such as `log header`; nil if the call needs no
  /// explanation.
  mutating func meaning(of call: LoggedCall) -> String?
}

/// The kinds of files, such as an SQLite journal, for which the command `trace` can explain the system calls that a
/// program makes on them.
enum FileNamings {
  /// The types that explain system calls for the command `trace`, such as `SQLiteJournal`. The first type that
  /// recognizes a file is used. Types that recognize files by name come before types that recognize files by system
  /// calls.
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
    for type in all {
      if let naming = type.init(file, in: calls) { return naming }
    }
    return nil
  }
}

extension LoggedCall {
  /// Returns the big-endian 32-bit number at a byte offset of the written data; nil if the data is shorter.
  func number(at offset: Int) -> Int? {
    guard data.count >= offset + 4 else { return nil }
    return data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the pages of a file that the system call reads or writes, such as `page 3` or `pages 3 to 5`. Nil if the
  /// call does not cover whole pages of `size` bytes. `first` is the number of the first page of the file.
  func pages(of size: UInt64, first: UInt64) -> String? {
    guard size > 0, length > 0, offset.isMultiple(of: size), length.isMultiple(of: size) else { return nil }
    let start = offset / size + first
    let end = start + length / size - 1
    return start == end ? "page \(start)" : "pages \(start) to \(end)"
  }
}
