import Foundation
import StorageContract
import Synchronization

/// Counters through which two processes coordinate their saves: acknowledged saves, progress and commands. They are in
/// a file that both processes map into memory. Only one process writes each counter.
///
/// If the file says that the second process has made 7 saves, the next read of the first process must show them.
final class SharedCounters: @unchecked Sendable {
  // Sendable because every access is atomic.

  enum Word: Int {
    /// The number of the last acknowledged save of a process: `first` for the first process, `second` for the second.
    case first, second
    /// The command of the first process to the second: a ``Signal``.
    case signal
    /// The progress of the second process: a ``State``.
    case state
    /// The numbers of two saves of the second process: the last one that it has begun, and the last one that has ended.
    case begun, ended
    /// The number of saves that the second process may make in total before it must wait. It is used only if the
    /// processes save alternately.
    case turn

    fileprivate static let count = 7
  }

  /// The commands of the first process to the second.
  enum Signal: Int {
    case wait, go, stop
  }

  /// The states of the second process.
  enum State: Int {
    case starting, ready
    /// A wait in the middle of a save, until the second process is killed.
    case holding
  }

  /// The distance between two counters, in machine words. It puts them into separate cache lines, which is faster.
  private static let stride = 128 / MemoryLayout<Atomic<Int>>.stride
  private static let size = Word.count * 128

  let path: String
  private let words: UnsafeMutablePointer<Atomic<Int>>
  private let isOwner: Bool

  /// Creates a new file with the counters in the directory for temporary files.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
  static func make() throws -> SharedCounters {
    try SharedCounters(NSTemporaryDirectory() + "/board-\(getpid())-\(UUID().uuidString)", isOwner: true)
  }

  /// Maps the file with the counters into memory.
  ///
  /// - Parameter isOwner: Whether this process creates the file now and removes it at the end.
  /// - Throws: ``StoreError/failed(_:)``.
  init(_ path: String, isOwner: Bool) throws {
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

  /// The number of the last acknowledged save of a process. `side` is 0 for the first process, 1 for the second.
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
