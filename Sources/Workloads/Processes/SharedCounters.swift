import Foundation
import StorageContract
import Synchronization

/// Counters for acknowledged saves, progress and commands, in a mapped file that two processes share. Each counter has
/// one writer. A number read before an operation begins counts only saves that had ended.
final class SharedCounters: @unchecked Sendable {
  // Sendable because every access is atomic.

  enum Place: Int {
    /// The last acknowledged save of the first and of the second side.
    case first, second
    /// The command for the second side: a ``Signal``.
    case signal
    /// The progress of the second side: a ``State``.
    case state
    /// The numbers of the last saves that the second side has begun and ended.
    case begun, ended
    /// The number of saves that the second side may make when the sides take turns.
    case turn

    fileprivate static let count = 7
  }

  /// The commands of the first side for the second.
  enum Signal: Int {
    case wait, go, stop
  }

  /// The states of the second side.
  enum State: Int {
    case starting, ready
    /// The second side stays in the middle of a save until it is killed.
    case holding
  }

  /// The distance between counters in words. Separate cache lines keep writes to one from delaying access to another.
  private static let stride = 128 / MemoryLayout<Atomic<Int>>.stride
  private static let size = Place.count * 128

  let path: String
  private let words: UnsafeMutablePointer<Atomic<Int>>
  private let isOwner: Bool

  /// Creates the counters in a new file of the directory for temporary files, which is private to the trial.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
  static func make() throws -> SharedCounters {
    try SharedCounters(NSTemporaryDirectory() + "/board-\(getpid())-\(UUID().uuidString)", isOwner: true)
  }

  /// Maps the file of the counters into memory.
  ///
  /// - Parameter isOwner: Whether to create the file, and to remove it in the end.
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

  subscript(place: Place) -> Int {
    get { words[place.rawValue * Self.stride].load(ordering: .sequentiallyConsistent) }
    set { words[place.rawValue * Self.stride].store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// The number of the last acknowledged save of a side.
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
