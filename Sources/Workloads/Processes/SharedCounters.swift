import Foundation
import StorageContract
import Synchronization

/// Counters in a file that two processes map into memory, to coordinate their saves. While both processes run, only one
/// process changes a given counter.
final class SharedCounters: @unchecked Sendable {
  // Sendable because every access is atomic.

  enum Word: Int, CaseIterable {
    /// The two words for the numbers of acknowledged saves, by the first and by the second process.
    case first, second
    case signal
    case state
    /// The two words of shared memory for the numbers of saves that the second process has begun, and has ended.
    case begun, ended
    /// The word of shared memory for the number of saves that the first process has so far allowed the second process
    /// to make.
    case turn
  }

  enum Signal: Int {
    case wait, go, stop
  }

  enum State: Int {
    case starting, ready
    /// The second process waits in the middle of a save until it is killed.
    case holding
  }

  /// The distance between two counters, in units of 8 bytes. Counters are 128 bytes apart, so that they share no cache
  /// line.
  private static let stride = 128 / MemoryLayout<Atomic<Int>>.stride
  private static let size = Word.allCases.count * 128

  let path: String
  private let words: UnsafeMutablePointer<Atomic<Int>>
  private let isOwner: Bool

  /// Maps the file with the two processes' shared counters into memory. If `isOwner` is true, creates the file, by
  /// default in the directory for temporary files, and deletes it in `deinit`.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
  init(
    _ path: String = NSTemporaryDirectory() + "/board-\(getpid())-\(UUID().uuidString)", isOwner: Bool = true
  ) throws {
    self.path = path
    self.isOwner = isOwner
    let file = open(path, O_RDWR | O_CLOEXEC | (isOwner ? O_CREAT | O_TRUNC : 0), 0o600)
    guard file >= 0 else { throw Self.error("opening") }
    defer { close(file) }
    guard !isOwner || ftruncate(file, off_t(Self.size)) == 0 else { throw Self.error("making") }
    guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
      throw Self.error("mapping")
    }
    words = memory.bindMemory(to: Atomic<Int>.self, capacity: Self.size / MemoryLayout<Atomic<Int>>.stride)
  }

  deinit {
    munmap(words, Self.size)
    if isOwner { unlink(path) }
  }

  private static func error(_ what: String) -> StoreError {
    .failed("\(what) the memory that both processes share: \(String(cString: strerror(errno)))")
  }

  subscript(word: Word) -> Int {
    get { words[word.rawValue * Self.stride].load(ordering: .sequentiallyConsistent) }
    set { words[word.rawValue * Self.stride].store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// The number of the last acknowledged save: of the first process if `side` is 0, of the second if `side` is 1.
  subscript(saved side: Int) -> Int {
    get { self[side == 0 ? .first : .second] }
    set { self[side == 0 ? .first : .second] = newValue }
  }

  var signal: Signal {
    get { Signal(rawValue: self[.signal]) ?? .stop }
    set { self[.signal] = newValue.rawValue }
  }

  var state: State {
    get { State(rawValue: self[.state]) ?? .starting }
    set { self[.state] = newValue.rawValue }
  }

  /// Waits until a condition holds, checking it every 50 µs.
  static func wait(until isSo: () throws -> Bool) rethrows {
    while try !isSo() { usleep(50) }
  }
}
