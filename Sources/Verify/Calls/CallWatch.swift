import CStorageInstrument
import Foundation

/// A watch that counts, and optionally logs, this process's system calls on a store's files. Only one watch can run at
/// a time.
public struct CallWatch {
  private let start: WriteTally

  /// Starts counting the system calls of this process on a store's files.
  ///
  /// - Parameters:
  ///   - directory: The absolute path of the store's directory.
  ///   - log: The path of a log of the calls, outside the directory; nil for no log.
  ///   - logsReads: Whether the log includes reads of files and openings for reading.
  /// - Throws: ``CallLogError`` if the log cannot be written.
  public init(_ directory: String, log: String?, logsReads: Bool = false) throws {
    ci_begin(directory)
    let error = ci_watch(log, logsReads ? 1 : 0)
    guard error == 0 else {
      ci_end()
      throw CallLogError(
        "\(log ?? directory): calls cannot be watched: \(String(cString: strerror(error))); "
          + "check that the log's directory exists, is writable, has free space and is not inside the store's")
    }
    start = WriteTally()
  }

  /// Stops the watch, and compares the number of watched writes with the number that the kernel counted.
  ///
  /// - Returns: A message if writes were missed, the log failed or the kernel's number is unknown; otherwise nil.
  public func end() -> String? {
    let gap = WriteTally().gap(since: start)
    ci_end()
    return gap
  }
}
