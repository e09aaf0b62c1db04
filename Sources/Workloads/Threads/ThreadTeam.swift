import Foundation
import StorageContract

/// A team of threads that run operations concurrently and time each operation. Background threads keep the store busy.
final class ThreadTeam {
  /// The number of threads that run measured operations. Thread number `n % workers` runs operation `n`.
  let workers: Int
  /// The duration of the last call of `perform` in nanoseconds, from the first start of an operation to the last end.
  private(set) var elapsed: Int64 = 0

  private let members: [Member]
  private let background: Int
  private var durations: Slots<Int64>?
  private var first = 0

  init(workers: Int, background: Int = 0) {
    self.workers = workers
    self.background = background
    members = (0..<workers + background).map { _ in Member() }
  }

  deinit { for member in members { member.dismiss() } }

  /// Runs operations on the worker threads. Until all operations end, each background thread calls `meanwhile`
  /// repeatedly with its own number, from 0.
  ///
  /// - Throws: The error of the failed thread with the lowest number.
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
            // The first operation of a block may belong to any thread.
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

  /// Returns the duration of an operation in nanoseconds, or nil if the last call of `perform` did not run the
  /// operation.
  func duration(of operation: Int) -> Int64? {
    guard let durations, operation >= first, operation - first < durations.count else { return nil }
    return durations[operation - first]
  }

  private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var running: Int
    private var span: (begin: Int64, end: Int64)?

    init(_ workers: Int) { running = workers }

    var isOver: Bool { lock.withLock { running == 0 } }

    var elapsed: Int64 { lock.withLock { span.map { $0.end - $0.begin } ?? 0 } }

    /// Notes the end of a worker thread. `own` is the time span of the thread's operations, or nil if the thread ran no
    /// operation.
    func end(_ own: (begin: Int64, end: Int64)?) {
      lock.withLock {
        running -= 1
        guard let own else { return }
        span = (min(span?.begin ?? own.begin, own.begin), max(span?.end ?? own.end, own.end))
      }
    }
  }

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
      // Engines may need deep stacks, so each thread gets the usual 8 MiB of a main thread.
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Waits for work or dismissal. Returns true if the thread got work.
    private func awaitWork() -> Bool {
      condition.withLock {
        while state == .idle { condition.wait() }
        return state == .working
      }
    }

    @inline(never)
    private func run() {
      do { try work?() } catch { self.error = error }
      // The closure uses the waiting caller's stack, so it is released before the caller continues.
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

    func wait() -> (any Error)? {
      condition.withLock { while state == .working { condition.wait() } }
      defer { error = nil }
      return error
    }

    func dismiss() { set(.dismissed) }
  }
}

/// A buffer in which several threads may write different elements at the same time. An array does not allow this.
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

  subscript(index: Int) -> Element {
    get { buffer[index] }
    set { buffer[index] = newValue }
  }
}

enum MonotonicTime {
  /// The current time in nanoseconds (CLOCK_MONOTONIC).
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
