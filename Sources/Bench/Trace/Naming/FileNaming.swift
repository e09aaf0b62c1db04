import StorageVerify

/// An explanation of the system calls on one file of a store, for the command `trace`, such as `meta page 1: the
/// commit`.
///
/// Each kind of file has a conformer. An instance gets the calls on one file in order, so that an earlier call can
/// explain a later call. To add a kind of file, write its conformer and add it to ``FileNamings``.
protocol FileNaming {
  /// Recognizes a file by its name or by the calls of the operation; nil if the file is of another kind.
  ///
  /// - Parameter file: The name of the file within the store's directory; empty for that directory.
  init?(_ file: String, in calls: ArraySlice<LoggedCall>)

  /// Returns the effect of a call on the file in a few words; nil if the call explains itself.
  mutating func meaning(of call: LoggedCall) -> String?
}

/// The kinds of files whose calls a trace can explain.
enum FileNamings {
  /// The kinds of files in the order in which they are tried. Kinds that recognize a file by its name come first.
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
  /// Returns the big-endian 32-bit number at a position of the written data; nil if the data is shorter.
  func number(at offset: Int) -> Int? {
    guard data.count >= offset + 4 else { return nil }
    return data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the pages of a file that the call covers, such as `page 3` or `pages 3 to 5`; nil for a part of a page.
  ///
  /// - Parameter first: The number of the first page of the file.
  func pages(of size: UInt64, first: UInt64) -> String? {
    guard size > 0, length > 0, offset.isMultiple(of: size), length.isMultiple(of: size) else { return nil }
    let start = offset / size + first
    let end = start + length / size - 1
    return start == end ? "page \(start)" : "pages \(start) to \(end)"
  }
}
