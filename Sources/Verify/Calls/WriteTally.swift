import CStorageInstrument
import StorageContract

/// The writes of this process, counted both by ``CallWatch`` and by the kernel. If the two counts differ much, the log
/// of ``CallWatch`` lacks writes.
public struct WriteTally: Sendable {
  private let calls: UInt64
  private let bytes: UInt64
  private let allCalls: UInt64
  private let allBytes: UInt64
  /// The errno of a failure to write the log of calls or to read the kernel's count of writes; 0 if nothing failed.
  private let error: Int32

  /// Creates a tally of the writes that this process has made so far: the number of calls and of bytes.
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

  /// Returns a message if the log of calls lacks writes made since `earlier`, or if counting failed. Otherwise, returns
  /// nil.
  public func gap(since earlier: WriteTally) -> String? {
    guard error == 0 else { return "it cannot be written, or the kernel does not tell: error \(error)" }
    let seen = (calls: calls - earlier.calls, bytes: bytes - earlier.bytes)
    let all = (calls: allCalls - earlier.allCalls, bytes: allBytes - earlier.allBytes)
    let more = (calls: Int64(seen.calls) - Int64(all.calls), bytes: Int64(seen.bytes) - Int64(all.bytes))
    // Wake-ups of threads write 8 bytes each, but not to the store. A missed write of 8 bytes to a file looks like a
    // wake-up, so crash tests also replay the log.
    guard more.bytes % 8 == 0, abs(more.bytes) <= 64, abs(more.calls) <= 8 else {
      return "\(seen.calls) writes of \(seen.bytes) bytes were seen where the kernel has counted \(all.calls) of "
        + "\(all.bytes)"
    }
    return nil
  }
}

/// The numbers of acknowledged saves, and of saves that lacked a write or a sync. These numbers can refute a safety
/// level, but not prove it.
extension ci_saves {
  /// The current counts of this process's saves, such as the number of saves without a sync, read from the C module
  /// CStorageInstrument.
  package static var counted: ci_saves {
    var seen = ci_saves()
    ci_read_saves(&seen)
    return seen
  }

  /// Returns the reason why the observed saves contradict a safety level, as a sentence without a full stop. Nil
  /// without a contradiction.
  package func refutation(of level: Level) -> String? {
    func sentence(_ count: UInt64, of all: UInt64, _ what: String) -> String {
      "\(level.rawValue) is promised, but \(Quantity.grouped(Int(count))) of \(Quantity.grouped(Int(all))) \(what)"
    }
    func saves(_ count: UInt64, _ what: String) -> String {
      sentence(count, of: acknowledged, "saves were acknowledged before \(what)")
    }
    if level >= .crash, unwritten > 0 { return saves(unwritten, "anything was written") }
    if level >= .durable, unsynced > 0 {
      let others = "; \(Quantity.grouped(Int(synced_elsewhere))) had synced another file, or before their last write"
      return saves(unsynced, "a file that they had written was synced") + (synced_elsewhere > 0 ? others : "")
    }
    if level >= .intact, renamed_unsynced > 0 {
      return sentence(renamed_unsynced, of: renamed, "files were renamed before their data was synced")
    }
    if level >= .durable, unnamed > 0 {
      return saves(unnamed, "the directory was synced in which they had renamed or removed a file")
    }
    return nil
  }
}
