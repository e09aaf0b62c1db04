import Foundation
import StorageContract

/// Threads that do the operations of a block at once and time each of them, while others keep the store busy.
///
/// They stay for the whole trial: to start a thread takes as long as many an operation.
final class ThreadTeam {
  /// The number of threads that do operations. Operation `n` is done by thread `n % workers`, so that the earlier
  /// operations of each thread are known.
  let workers: Int
  /// From the start of the last block to the end of its last operation, in nanoseconds.
  private(set) var elapsed: Int64 = 0

  private let members: [Member]
  private let background: Int
  private var durations: Slots<Int64>?
  private var first = 0

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - workers: How many do operations.
  ///   - background: How many do something else meanwhile.
  init(workers: Int, background: Int = 0) {
    self.workers = workers
    self.background = background
    members = (0..<workers + background).map { _ in Member() }
  }

  deinit { for member in members { member.dismiss() } }

  /// Does the operations of a block and returns when all are done.
  ///
  /// - Parameters:
  ///   - operations: The block.
  ///   - body: Does one of them, on one of the workers' threads.
  ///   - meanwhile: What background threads do again and again until the last operation is done, by their numbers.
  /// - Throws: The first error of the first thread that had one.
  func perform(
    _ operations: Range<Int>, _ body: (Int) throws -> Void, meanwhile: (Int) throws -> Void = { _ in }
  ) throws {
    let durations = Slots<Int64>(operations.count, repeating: 0)
    let progress = Progress(workers)
    let (workers, first) = (workers, operations.lowerBound)
    try withoutActuallyEscaping(body) { body in
      try withoutActuallyEscaping(meanwhile) { meanwhile in
        for (number, member) in members.enumerated() {
          member.start {
            guard number < workers else {
              while !progress.isOver { try meanwhile(number - workers) }
              return
            }
            var (begin, last): (Int64?, Int64) = (nil, 0)
            defer { progress.end(begin.map { ($0, last) }) }
            // The block need not begin with the first thread's turn.
            let offset = (number - first % workers + workers) % workers
            for operation in stride(from: first + offset, to: operations.upperBound, by: workers) {
              if begin == nil { (begin, last) = (MonotonicTime.now, MonotonicTime.now) }
              try body(operation)
              let now = MonotonicTime.now
              durations[operation - first] = now - last
              last = now
            }
          }
        }
        let errors = members.compactMap { $0.wait() }
        if let error = errors.first { throw error }
      }
    }
    self.durations = durations
    self.first = first
    elapsed = progress.elapsed
  }

  /// Returns the duration of each operation of the last block, in nanoseconds.
  func duration(of operation: Int) -> Int64? {
    guard let durations, operation >= first, operation - first < durations.count else { return nil }
    return durations[operation - first]
  }

  /// The progress of the workers.
  private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var running: Int
    private var span: (begin: Int64, end: Int64)?

    init(_ workers: Int) { running = workers }

    var isOver: Bool { lock.withLock { running == 0 } }

    var elapsed: Int64 { lock.withLock { span.map { $0.end - $0.begin } ?? 0 } }

    /// Notes that a worker has ended, and from when to when it worked, if it had anything to do.
    func end(_ own: (begin: Int64, end: Int64)?) {
      lock.withLock {
        running -= 1
        guard let own else { return }
        span = (min(span?.begin ?? own.begin, own.begin), max(span?.end ?? own.end, own.end))
      }
    }
  }

  /// One thread, which waits for work.
  private final class Member: @unchecked Sendable {
    private enum State {
      case idle, working, dismissed
    }

    private let condition = NSCondition()
    private var state = State.idle
    private var work: (() throws -> Void)?
    private var error: (any Error)?

    init() {
      let thread = Thread { [self] in
        while awaitWork() {
          run()
          set(.idle)
        }
      }
      // Engines may use deep stacks; the main thread's size is what they are used to.
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Returns whether there is work, or false when there will be none.
    private func awaitWork() -> Bool {
      condition.withLock {
        while state == .idle { condition.wait() }
        return state == .working
      }
    }

    /// Releases the work before the waiting thread continues, because it belongs to the caller's stack.
    @inline(never)
    private func run() {
      do { try work?() } catch { self.error = error }
      work = nil
    }

    private func set(_ state: State) {
      condition.withLock {
        self.state = state
        condition.broadcast()
      }
    }

    func start(_ work: @escaping () throws -> Void) {
      self.work = work
      set(.working)
    }

    /// Waits for the work to end, and returns what it threw.
    func wait() -> (any Error)? {
      condition.withLock { while state == .working { condition.wait() } }
      defer { error = nil }
      return error
    }

    /// Ends the thread; there is no work.
    func dismiss() { set(.dismissed) }
  }
}

/// Places where threads leave what they have found, each its own.
///
/// Not an array: to write to one is an access to the whole of it, which only one thread may have at a time.
final class Slots<Element>: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<Element>

  init(_ count: Int, repeating element: Element) {
    buffer = .allocate(capacity: count)
    buffer.initialize(repeating: element)
  }

  deinit {
    buffer.deinitialize()
    buffer.deallocate()
  }

  var count: Int { buffer.count }

  subscript(place: Int) -> Element {
    get { buffer[place] }
    set { buffer[place] = newValue }
  }
}

/// The clock that never goes back.
enum MonotonicTime {
  /// Nanoseconds on CLOCK_MONOTONIC.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
