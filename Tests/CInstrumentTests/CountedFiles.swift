import CStorageInstrument
import Foundation
import Testing

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

  /// Counts the calls of a body, and expects the kernel to have counted the same.
  func counted(_ body: () throws -> Void) throws -> ci_counts {
    var (before, after) = (ci_process_io(), ci_process_io())
    var counts = ci_counts()
    try #require(ci_read_process_io(&before) == 0)
    ci_begin(root)
    try body()
    ci_read(&counts)
    try #require(ci_read_process_io(&after) == 0)
    ci_end()
    #expect(counts.bytes_written + counts.other_bytes_written == after.bytes_written - before.bytes_written)
    #expect(counts.write_calls + counts.other_write_calls == after.write_calls - before.write_calls)
    return counts
  }
}
