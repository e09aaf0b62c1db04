enum CrashStoreFiles {
  /// The kind of a file in a store.
  enum Part: String {
    case data
    /// A log file with recent saves, which the engine adds to the data when the store is opened.
    case log
    /// A file without records, such as an index of the log, a file of locks or a list of files.
    case index
  }

  /// Returns the kind of a file. Logs and indexes are recognized by the names that SQLite, LMDB and LevelDB use.
  static func part(_ file: String) -> Part {
    let name = file.split(separator: "/").last ?? ""
    if ["-wal", "-journal", ".log"].contains(where: name.hasSuffix) { return .log }
    let indices = ["CURRENT", "LOCK", "LOG", "LOG.old"]
    return DiskLog.isRebuilt(file) || name.hasPrefix("MANIFEST-") || indices.contains(String(name)) ? .index : .data
  }
}
