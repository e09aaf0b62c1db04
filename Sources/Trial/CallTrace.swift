import CStorageInstrument
import StorageContract
import StorageVerify

/// A log of system calls for the command `trace`. It has the calls that one measuring process makes on its files, and
/// the start and end of each traced operation.
struct CallTrace {
  /// The start and end of each operation in nanoseconds of CLOCK_MONOTONIC. The logged system calls have times of the
  /// same clock.
  private(set) var spans: [ClosedRange<Int64>] = []

  private let watch: CallWatch

  /// Begins to log the system calls on files below `directory`. The path `log` must be outside that directory.
  ///
  /// - Throws: `CallLogError` if the log cannot be written.
  init(_ directory: String, log: String) throws { watch = try CallWatch(directory, log: log, logsReads: true) }

  /// Performs an operation and logs its system calls. Throws the operation's error. Throws ``StoreError`` if the kernel
  /// has counted writes during the operation that are missing in the log.
  mutating func perform(_ operation: () throws -> Void) throws {
    let before = WriteTally()
    let began = ci_now()
    try operation()
    spans.append(began...ci_now())
    if let gap = WriteTally().gap(since: before) {
      throw StoreError.failed("the log of calls is not whole (\(gap)): calls of this backend cannot be seen")
    }
  }

  func end() { _ = watch.end() }
}
