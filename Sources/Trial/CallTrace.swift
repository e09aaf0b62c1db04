import CStorageInstrument
import StorageContract
import StorageVerify

/// A log of the system calls that a measuring process makes on its files, for the command `trace`. The calls are
/// written to a file.
struct CallTrace {
  /// The start and end of each traced operation, in nanoseconds of CLOCK_MONOTONIC, as for the logged system calls.
  private(set) var spans: [ClosedRange<Int64>] = []

  private let watch: CallWatch

  /// Begins to log the system calls on files in a directory. `log` is the path of the log file, outside the directory.
  /// Throws `CallLogError` if the log file cannot be written.
  init(_ directory: String, log: String) throws { watch = try CallWatch(directory, log: log, logsReads: true) }

  /// Runs an operation and logs its system calls. Throws the operation's error, or ``StoreError`` if the log is
  /// incomplete.
  mutating func perform(_ operation: () throws -> Void) throws {
    let before = WriteTally()
    let began = ci_now()
    try operation()
    spans.append(began...ci_now())
    if let gap = WriteTally().gap(since: before) {
      throw StoreError.failed(
        "the log of calls is incomplete (\(gap)): the calls of this backend cannot be observed")
    }
  }

  func end() { _ = watch.end() }
}
