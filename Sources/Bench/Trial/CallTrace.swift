import CStorageInstrument
import StorageContract

/// The log of a trial's calls, with the times of its operations and the kernel's own figures as the witness that no write
/// of an operation is missing in it.
struct CallTrace {
  /// When each operation began and ended, by the log's clock.
  private(set) var spans: [ClosedRange<Int64>] = []

  /// Begins the log.
  ///
  /// - Parameters:
  ///   - directory: The trial's directory: what happens below it is logged.
  ///   - log: The file of the log, outside of it.
  /// - Throws: ``StoreError`` if the log cannot be written.
  init(_ directory: String, log: String) throws {
    ci_begin(directory)
    let error = ci_watch(log, 1)
    guard error == 0 else { throw StoreError.failed("the log of calls cannot be written to \(log): error \(error)") }
  }

  /// Does an operation. What is done between operations, such as copying a store, is logged and not accounted for.
  ///
  /// - Throws: What the operation throws, and ``StoreError`` if writes of it are missing in the log.
  mutating func perform(_ operation: () throws -> Void) throws {
    let before = Writes()
    let began = ci_now()
    try operation()
    spans.append(began...ci_now())
    let after = Writes()
    let (seen, all) = (after.seen - before.seen, after.all - before.all)
    let (seenBytes, allBytes) = (after.seenBytes - before.seenBytes, after.allBytes - before.allBytes)
    guard after.error == 0 else {
      throw StoreError.failed("the log of calls cannot be written: error \(after.error)")
    }
    guard (seen, seenBytes) == (all, allBytes) else {
      throw StoreError.failed(
        "the log has \(seen) writes of \(seenBytes) bytes where the kernel has counted \(all) of \(allBytes): "
          + "calls of this backend cannot be seen")
    }
  }

  /// Ends the log.
  func end() { ci_end() }

  /// Writes of this process so far: as they were seen, the log's own among them, and as the kernel has counted them.
  private struct Writes {
    var seen: UInt64
    var seenBytes: UInt64
    var all: UInt64
    var allBytes: UInt64
    var error: Int32

    init() {
      var (counts, watched, io) = (ci_counts(), ci_watched(), ci_process_io())
      ci_read(&counts)
      ci_read_watched(&watched)
      let unknown = ci_read_process_io(&io)
      seen = counts.write_calls + counts.other_write_calls + watched.log_calls
      seenBytes = counts.bytes_written + counts.other_bytes_written + watched.log_bytes
      (all, allBytes) = (io.write_calls, io.bytes_written)
      error = unknown != 0 ? unknown : watched.log_error
    }
  }
}
