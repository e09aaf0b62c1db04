import StorageVerify

/// What the calls on one file of a store mean to the engine that keeps it.
///
/// One conformer for each kind of file, made for each file of an operation and asked about its calls in their order, so
/// that a later call can be understood by an earlier one. Files are known by their names, and by what the operation does
/// with them, whichever backend they belong to. To add a kind, write its file and add its line to ``FileNamings``.
protocol FileNaming {
  /// Takes on a file, or not.
  ///
  /// - Parameters:
  ///   - file: Its name, from the store's directory, which is itself the empty name.
  ///   - calls: All calls of the operation.
  init?(_ file: String, in calls: ArraySlice<LoggedCall>)

  /// What a call on the file does, in a few words, or nil where the call says it all.
  mutating func meaning(of call: LoggedCall) -> String?
}

/// The kinds of files that are known.
enum FileNamings {
  /// In the order in which they are asked, those that know a file by its name first.
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

  /// What knows a file, or nil.
  static func naming(of file: String, in calls: ArraySlice<LoggedCall>) -> (any FileNaming)? {
    for type in all {
      if let naming = type.init(file, in: calls) { return naming }
    }
    return nil
  }
}

extension LoggedCall {
  /// A number of the data that was written, of four bytes, the highest first; nil where there are fewer.
  func number(at place: Int) -> Int? {
    guard data.count >= place + 4 else { return nil }
    return data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Which pages of a size the call is about: `page 3`, `pages 3 to 5`; nil where it is about a part of one.
  ///
  /// - Parameter first: The number of the first page of the file.
  func pages(of size: UInt64, first: UInt64) -> String? {
    guard size > 0, length > 0, offset.isMultiple(of: size), length.isMultiple(of: size) else { return nil }
    let start = offset / size + first
    let end = start + length / size - 1
    return start == end ? "page \(start)" : "pages \(start) to \(end)"
  }
}
