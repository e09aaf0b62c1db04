import CStorageInstrument

/// Watches this process's calls on a store's files: the log is begun with it, and ``end()`` tells whether it is whole.
///
/// There is one at a time in a process, which is why this is no class with a life of its own.
public struct CallWatch {
  private let start: WriteTally

  /// Begins counting and logging.
  ///
  /// - Parameters:
  ///   - directory: The store's directory, an absolute path.
  ///   - log: Where the log goes, outside of the directory; nil for none.
  ///   - logsReads: Whether reads, and opens for reading, are in the log.
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

  /// Ends it, and compares what was seen with what the kernel has counted for the process.
  ///
  /// - Returns: What the log lacks, as a half sentence; nil if it is whole.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
