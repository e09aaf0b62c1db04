import CStorageInstrument

/// A recording of the system calls that this process makes on a store's files: counts and, if wanted, a log. A process
/// can have only one recording at a time. ``end()`` ends the recording and reports whether it is complete.
public struct CallWatch {
  private let start: WriteTally

  /// Begins to count and log the system calls of this process on a store's files.
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

  /// Ends the recording, and compares the recorded writes with the kernel's count of this process's writes.
  ///
  /// - Returns: A phrase about the writes that the log lacks; nil if the log is complete.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
