import CStorageInstrument

/// A watch on the system calls that this process makes on a store's files. It counts the calls, and can also write them
/// to a log. Only one watch can run at a time.
public struct CallWatch {
  private let start: WriteTally

  /// Begins to count the system calls of this process on a store's files, and to log them if `log` is given.
  ///
  /// - Parameters:
  ///   - directory: The store's directory, an absolute path.
  ///   - log: The path of the log, outside the directory; nil for no log.
  ///   - logsReads: Whether the log includes reads of files and openings for reading.
  /// - Throws: ``CallLogError`` if the log cannot be written.
  public init(_ directory: String, log: String?, logsReads: Bool = false) throws {
    ci_begin(directory)
    let error = ci_watch(log, logsReads ? 1 : 0)
    guard error == 0 else {
      ci_end()
      throw CallLogError("\(log ?? directory): calls cannot be watched: error \(error)")
    }
    start = WriteTally()
  }

  /// Stops watching the system calls of this process, and compares the number of watched writes with the number that
  /// the kernel counted.
  ///
  /// - Returns: A message if the watch missed writes, if the log of system calls cannot be written, or if the kernel's
  ///   number cannot be read; otherwise nil.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
