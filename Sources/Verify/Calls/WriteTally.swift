import CStorageInstrument

/// What this process has written so far, while its calls are watched: as they were seen, the log's own writes among them,
/// and as the kernel has counted them. Where the two part, calls were missed.
public struct WriteTally: Sendable {
  private let calls: UInt64
  private let bytes: UInt64
  private let allCalls: UInt64
  private let allBytes: UInt64
  /// Why the log is not whole, or the kernel does not tell: an errno, or 0.
  private let error: Int32

  /// Takes the figures of this moment.
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

  /// What the log lacks since an earlier moment, as a half sentence; nil if it is whole.
  public func gap(since earlier: WriteTally) -> String? {
    guard error == 0 else { return "it cannot be written, or the kernel does not tell: error \(error)" }
    let seen = (calls: calls - earlier.calls, bytes: bytes - earlier.bytes)
    let all = (calls: allCalls - earlier.allCalls, bytes: allBytes - earlier.allBytes)
    guard
      Self.isOfWakingThreads(
        bytes: Int64(seen.bytes) - Int64(all.bytes), calls: Int64(seen.calls) - Int64(all.calls))
    else {
      return "\(seen.calls) writes of \(seen.bytes) bytes were seen where the kernel has counted \(all.calls) of "
        + "\(all.bytes)"
    }
    return nil
  }

  /// Whether a difference can be that of threads which wake each other, by writes of 8 bytes to no file, while the
  /// figures are read one after the other. A file's write of that length is missed by who only counts; crash tests
  /// replay the log, too.
  private static func isOfWakingThreads(bytes: Int64, calls: Int64) -> Bool {
    bytes % 8 == 0 && abs(bytes) <= 64 && abs(calls) <= 8
  }
}
