import CStorageInstrument
import Foundation
import Testing

/// Writes a byte to a file, and then makes another call, such as a sync.
func change(_ file: Int32, then call: () throws -> Void) rethrows {
  write(file, [1], 1)
  try call()
}

/// Returns the error of a call that fails; nil if it succeeds.
func error(of call: () throws -> some BinaryInteger) rethrows -> Int32? {
  errno = 0
  return try call() == -1 ? errno : nil
}

/// A directory whose files are counted, and one beside it whose files are not.
final class CountedFiles {
  private let parent: String
  let root: String
  let outside: String

  init() throws {
    parent = NSTemporaryDirectory() + "/counters-\(UUID().uuidString)"
    root = parent + "/store"
    outside = parent + "/outside"
    for path in [root, outside] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: parent) }

  func open(_ name: String, _ flags: Int32 = O_RDWR | O_CREAT, inside: Bool = true) throws -> Int32 {
    let descriptor = Foundation.open((inside ? root : outside) + "/" + name, flags, 0o600)
    try #require(descriptor >= 0)
    return descriptor
  }

  /// Counts the calls of a body, and expects the kernel's figures to equal those of the counters and the cost of a log.
  ///
  /// - Parameter watch: The start of a watch, if there is one.
  func counted(watch: () throws -> Void = {}, _ body: () throws -> Void) throws -> ci_counts {
    var (before, after) = (ci_process_io(), ci_process_io())
    var (counts, watched) = (ci_counts(), ci_watched())
    try #require(ci_read_process_io(&before) == 0)
    ci_begin(root)
    try watch()
    try body()
    ci_read(&counts)
    ci_read_watched(&watched)
    try #require(ci_read_process_io(&after) == 0)
    ci_end()
    #expect(watched.log_error == 0)
    #expect(counts.write_calls + counts.other_write_calls + watched.log_calls == after.write_calls - before.write_calls)
    #expect(
      counts.bytes_written + counts.other_bytes_written + watched.log_bytes
        == after.bytes_written - before.bytes_written)
    return counts
  }
}
