import CStorageInstrument

/// This process's writes, as counted by ``CallWatch`` and as counted by the kernel. Both counts include writes of the
/// log. A small difference between the counts comes from thread wake-ups, which are writes of 8 bytes to no file of the
/// store. Any other difference means that the recording has missed calls.
public struct WriteTally: Sendable {
  private let calls: UInt64
  private let bytes: UInt64
  private let allCalls: UInt64
  private let allBytes: UInt64
  /// The errno if the log could not be written or the kernel's counts could not be read; otherwise 0.
  private let error: Int32

  /// Reads the current counts of writes from the recording and from the kernel.
  public init() {
    var (counts, watched, io) = (ci_counts(), ci_watched(), ci_process_io())
    ci_read(&counts)
    ci_read_watched(&watched)
    let unknown = ci_read_process_io(&io)
    calls = counts.write_calls + counts.other_write_calls + watched.log_calls
    bytes = counts.bytes_written + counts.other_bytes_written + watched.log_bytes
    (allCalls, allBytes) = (io.write_calls, io.bytes_written)
    error = unknown != 0 ? unknown : watched.log_error
  }

  /// Returns a phrase about the writes that the log has missed since an earlier tally; nil if the log is complete.
  public func gap(since earlier: WriteTally) -> String? {
    guard error == 0 else { return "it cannot be written, or the kernel does not tell: error \(error)" }
    let seen = (calls: calls - earlier.calls, bytes: bytes - earlier.bytes)
    let all = (calls: allCalls - earlier.allCalls, bytes: allBytes - earlier.allBytes)
    guard
      Self.isOfWakingThreads(bytes: Int64(seen.bytes) - Int64(all.bytes), calls: Int64(seen.calls) - Int64(all.calls))
    else {
      return "\(seen.calls) writes of \(seen.bytes) bytes were seen where the kernel has counted \(all.calls) of "
        + "\(all.bytes)"
    }
    return nil
  }

  /// Returns whether thread wake-ups explain these differences of the counts. A wake-up is a write of 8 bytes that goes
  /// to no file of the store.
  private static func isOfWakingThreads(bytes: Int64, calls: Int64) -> Bool {
    // A missed write of 8 bytes to a file looks like a wake-up, so crash tests also replay the log.
    bytes % 8 == 0 && abs(bytes) <= 64 && abs(calls) <= 8
  }
}
