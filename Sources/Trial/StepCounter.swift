import Foundation
import StorageContract

/// A counter of finished steps in a memory-mapped file, by which a parent process checks progress. Counting makes no
/// system calls.
package final class StepCounter {
  private let words: UnsafeMutablePointer<Int64>

  /// The size of the memory-mapped file in bytes: a process id and a number of finished steps, 8 bytes each.
  private static let length = 2 * MemoryLayout<Int64>.size

  package static func path(in directory: String) -> String { "\(directory)/steps" }

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

  package static func read(in directory: String) -> (process: Int32, steps: Int64)? {
    guard let data = FileManager.default.contents(atPath: path(in: directory)), data.count == length else { return nil }
    return data.withUnsafeBytes { bytes in
      let process = Int32(truncatingIfNeeded: bytes.loadUnaligned(as: Int64.self))
      return process == 0 ? nil : (process, bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }
  }
}
