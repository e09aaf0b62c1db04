import CStorageInstrument

/// Watches this process's calls on a store's files: the log is begun with it, and ``end()`` tells whether it is whole.
///
/// There is one at a time in a process, which is why this is no class with a life of its own.
public struct CallWatch {
  private let before: ci_process_io

  /// Begins counting and logging.
  ///
  /// - Parameters:
  ///   - directory: The store's directory, an absolute path.
  ///   - log: Where the log goes, outside of the directory; nil for none.
  ///   - logsReads: Whether reads, and opens for reading, are in the log.
  /// - Throws: ``CallLogError`` if the log cannot be written.
  public init(_ directory: String, log: String?, logsReads: Bool = false) throws {
    var io = ci_process_io()
    let known = ci_read_process_io(&io)
    ci_begin(directory)
    let error = ci_watch(log, logsReads ? 1 : 0)
    guard known == 0, error == 0 else {
      ci_end()
      throw CallLogError("\(log ?? directory): calls cannot be watched: error \(known == 0 ? error : known)")
    }
    before = io
  }

  /// Ends it, and compares what was seen with what the kernel has counted for the process.
  ///
  /// - Returns: What the log lacks, as a sentence; nil if it is whole.
  public func end() -> String? {
    var after = ci_process_io()
    let known = ci_read_process_io(&after)
    var counts = ci_counts()
    ci_read(&counts)
    var watched = ci_watched()
    ci_read_watched(&watched)
    ci_end()
    guard known == 0 else { return "the kernel does not tell how much the process has written" }
    guard watched.log_error == 0 else { return "the log of calls could not be written: error \(watched.log_error)" }
    let bytes = counts.bytes_written + counts.other_bytes_written + watched.log_bytes
    let calls = counts.write_calls + counts.other_write_calls + watched.log_calls
    let (allBytes, allCalls) = (after.bytes_written - before.bytes_written, after.write_calls - before.write_calls)
    let (moreBytes, moreCalls) = (Int64(bytes) - Int64(allBytes), Int64(calls) - Int64(allCalls))
    guard Self.isOfWakingThreads(bytes: moreBytes, calls: moreCalls) else {
      return "\(calls) writes of \(bytes) bytes were seen where the kernel has counted \(allCalls) of \(allBytes)"
    }
    return nil
  }

  /// Whether a difference can be that of threads which wake each other, by writes of 8 bytes to no file, while the two
  /// figures are read one after the other. A file's write of that length is not missed: the log is replayed, too.
  private static func isOfWakingThreads(bytes: Int64, calls: Int64) -> Bool {
    bytes % 8 == 0 && abs(bytes) <= 64 && abs(calls) <= 8
  }
}
