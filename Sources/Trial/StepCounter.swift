import Foundation
import StorageContract

/// A counter of finished steps, by which a parent process sees that an untimed child process is active. The child maps
/// a file with the counter, and the parent reads the file.
///
/// A step only changes mapped memory. It makes no call and allocates no memory, so it does not change counts of calls.
package final class StepCounter {
  private let words: UnsafeMutablePointer<Int64>

  /// The size of the progress file: the process id, with which the parent can query the kernel, and the number of
  /// steps.
  private static let length = 2 * MemoryLayout<Int64>.size

  /// Returns the path of the progress file in the directory of a trial (process). The file is beside the store, whose
  /// directory must hold nothing else.
  package static func path(in directory: String) -> String { "\(directory)/steps" }

  /// Creates and maps the progress file of this process.
  ///
  /// - Throws: ``StoreError`` if the file cannot be created or mapped.
  init(directory: String) throws {
    let path = Self.path(in: directory)
    let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, ftruncate(file, off_t(Self.length)) == 0,
      let map = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), map != MAP_FAILED
    else { throw StoreError.failed("cannot map \(path): \(String(cString: strerror(errno)))") }
    words = map.bindMemory(to: Int64.self, capacity: 2)
    words[0] = Int64(getpid())
    words[1] = 0
  }

  deinit { munmap(words, Self.length) }

  func step() { words[1] &+= 1 }

  /// Returns the process id and the progress of a child process; nil before the child has begun.
  package static func read(in directory: String) -> (process: Int32, steps: Int64)? {
    guard let data = FileManager.default.contents(atPath: path(in: directory)), data.count == length else { return nil }
    return data.withUnsafeBytes { bytes in
      let process = Int32(truncatingIfNeeded: bytes.loadUnaligned(as: Int64.self))
      return process == 0 ? nil : (process, bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }
  }
}
