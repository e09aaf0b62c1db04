import CStorageInstrument
import StorageContract
import StorageVerify

/// The log of a trial's calls, with the times of its operations and the kernel's own figures as the witness that no write
/// of an operation is missing in it.
struct CallTrace {
  /// When each operation began and ended, by the log's clock.
  private(set) var spans: [ClosedRange<Int64>] = []

  private let watch: CallWatch

  /// Begins the log.
  ///
  /// - Parameters:
  ///   - directory: The trial's directory: what happens below it is logged.
  ///   - log: The file of the log, outside of it.
  /// - Throws: `CallLogError` if the log cannot be written.
  init(_ directory: String, log: String) throws {
    watch = try CallWatch(directory, log: log, logsReads: true)
  }

  /// Does an operation. What is done between operations, such as copying a store, is logged and not accounted for.
  ///
  /// - Throws: What the operation throws, and ``StoreError`` if writes of it are missing in the log.
  mutating func perform(_ operation: () throws -> Void) throws {
    let before = WriteTally()
    let began = ci_now()
    try operation()
    spans.append(began...ci_now())
    if let gap = WriteTally().gap(since: before) {
      throw StoreError.failed("the log of calls is not whole (\(gap)): calls of this backend cannot be seen")
    }
  }

  /// Ends the log.
  func end() { _ = watch.end() }
}
