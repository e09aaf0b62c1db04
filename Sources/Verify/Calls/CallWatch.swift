import CStorageInstrument

/// A counter and log of this process's calls on a store's files. ``end()`` reports whether the log is complete.
///
/// A process has only one watch at a time, so this is not a class that ends the watch when it is released.
public struct CallWatch {
  private let start: WriteTally

  /// Begins to count and log calls.
  ///
  /// - Parameters:
  ///   - directory: The store's directory, an absolute path.
  ///   - log: The path of the log, outside the directory; nil for no log.
  ///   - logsReads: Whether reads, and opens for reading, are logged.
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

  /// Ends the watch and compares the observed writes with the kernel's own counts for the process.
  ///
  /// - Returns: A description of what the log lacks, as a half sentence; nil if it is complete.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
