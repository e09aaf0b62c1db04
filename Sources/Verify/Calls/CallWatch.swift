import CStorageInstrument

/// A watch on the system calls that this process makes on a store's files. It counts the calls, and can also write them
/// to a log. Only one watch can run at a time.
public struct CallWatch {
  private let start: WriteTally

  /// Starts counting the system calls of this process on a store's files.
  ///
  /// - Parameters:
  ///   - directory: The absolute path of the store's directory.
  ///   - log: The path of a log of the calls, outside the directory; nil for no log.
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

  /// Stops the watch, and compares the number of watched writes with the number that the kernel counted.
  ///
  /// - Returns: A message if the watch missed writes, the log cannot be written, or the kernel's number cannot be read;
  ///   otherwise nil.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
