import Foundation
import StorageContract

/// How far the work has come that nobody times: a number in a file that the child has mapped and its parent reads.
///
/// A step is a store to memory. It makes no call and takes no memory once the file is mapped, so that the counts of a
/// cost pass are the same with it.
package final class StepCounter {
  private let words: UnsafeMutablePointer<Int64>

  /// The file's words: the process, so that its parent can ask the kernel about it, and the steps.
  private static let length = 2 * MemoryLayout<Int64>.size

  /// Where the file lies in a trial's directory: beside the store, which is not to hold anything else.
  package static func path(in directory: String) -> String { "\(directory)/steps" }

  /// Creates and maps the file of this process.
  ///
  /// - Throws: ``StoreError`` if that cannot be done.
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

  /// Tells that something is done.
  func step() { words[1] &+= 1 }

  /// What a child has told: nil before it has begun.
  package static func read(in directory: String) -> (process: Int32, steps: Int64)? {
    guard let data = FileManager.default.contents(atPath: path(in: directory)), data.count == length else { return nil }
    return data.withUnsafeBytes { bytes in
      let process = Int32(truncatingIfNeeded: bytes.loadUnaligned(as: Int64.self))
      return process == 0 ? nil : (process, bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }
  }
}
