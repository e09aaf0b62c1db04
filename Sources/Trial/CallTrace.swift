import CStorageInstrument
import StorageContract
import StorageVerify

/// A log of the system calls that a trial (process) makes, with the times of the trial's operations, for the command
/// `trace`. The kernel's own counts confirm that the log contains every write of an operation.
struct CallTrace {
  /// The start and end of each operation in nanoseconds, by the clock of the log.
  private(set) var spans: [ClosedRange<Int64>] = []

  private let watch: CallWatch

  /// Begins to log the calls of a trial.
  ///
  /// - Parameters:
  ///   - directory: The trial's directory. Calls on files below it are logged.
  ///   - log: The path of the log, outside the directory.
  /// - Throws: `CallLogError` if the log cannot be written.
  init(_ directory: String, log: String) throws {
    watch = try CallWatch(directory, log: log, logsReads: true)
  }

  /// Performs an operation and logs its calls. Work between operations, such as copying a store, is logged but not
  /// checked for completeness.
  ///
  /// - Throws: The error of the operation, and ``StoreError`` if the log lacks writes of the operation.
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
