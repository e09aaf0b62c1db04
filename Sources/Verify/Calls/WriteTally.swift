import CStorageInstrument
import StorageContract

/// A tally of this process's writes by ``CallWatch`` and by the kernel. A large difference means that the log lacks
/// writes.
public struct WriteTally: Sendable {
  private let calls: UInt64
  private let bytes: UInt64
  private let allCalls: UInt64
  private let allBytes: UInt64
  /// The errno if the log cannot be written or the kernel's count cannot be read; otherwise 0.
  private let error: Int32

  /// Reads both current counts of this process's writes: by the ``CallWatch`` and by the kernel.
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

  /// Returns a message if the log lacks writes that the kernel has counted since `earlier`, or if counting failed;
  /// otherwise nil.
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

  /// Returns whether thread wake-ups, which write 8 bytes each outside the store, can explain the difference of two
  /// counts.
  private static func isOfWakingThreads(bytes: Int64, calls: Int64) -> Bool {
    // A missed write of 8 bytes to a file looks like a wake-up, so crash tests also replay the log.
    bytes % 8 == 0 && abs(bytes) <= 64 && abs(calls) <= 8
  }
}

extension ObservedSaves {
  /// The counts of this process's saves, which the C module CStorageInstrument has observed.
  package static var counted: ObservedSaves {
    var seen = ci_saves()
    ci_read_saves(&seen)
    return ObservedSaves(
      acknowledged: seen.acknowledged, unwritten: seen.unwritten, unsynced: seen.unsynced,
      syncedElsewhere: seen.synced_elsewhere, unnamed: seen.unnamed, renamed: seen.renamed,
      renamedUnsynced: seen.renamed_unsynced)
  }
}
