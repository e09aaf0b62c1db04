import Foundation

/// A thread that owns something which must not leave it, and runs other threads' blocks on it, one at a time, first
/// come first served.
///
/// What crosses threads here (the block, its result) is handed over and not shared: the caller waits while the owner
/// works. The compiler cannot see that, hence the unchecked conformance.
final class StoreThread<Resource>: @unchecked Sendable {
  private let mailbox = Mailbox<Resource>()
  private let thread: Thread

  /// Starts the thread and makes the resource on it.
  ///
  /// - Throws: What making throws; the thread has ended then.
  init(_ make: @escaping @Sendable () throws -> Resource) throws {
    let mailbox = self.mailbox
    let opened = ResultBox<Void>()
    let done = DispatchSemaphore(value: 0)
    thread = Thread {
      let resource: Resource
      do {
        resource = try make()
        opened.result = .success(())
        done.signal()
      } catch {
        opened.result = .failure(error)
        done.signal()
        return
      }
      while let job = mailbox.next() { job.run(on: resource) }
    }
    // Engines may use deep stacks; the main thread's size is what they are used to.
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
    try opened.get()
  }

  deinit { mailbox.stop() }

  /// Runs the block on the thread and waits for it.
  ///
  /// - Throws: What the block throws; ``StoreError/failed(_:)`` after ``stop(_:)``, or when called from within a
  ///   block, which would wait for itself.
  func run<Result>(_ body: (Resource) throws -> Result) throws -> Result {
    try run(isLast: false, body)
  }

  /// Runs a last block and ends the thread.
  ///
  /// - Throws: As ``run(_:)``.
  func stop(_ body: (Resource) throws -> Void) throws {
    try run(isLast: true, body)
  }

  private func run<Result>(isLast: Bool, _ body: (Resource) throws -> Result) throws -> Result {
    guard Thread.current !== thread else {
      throw StoreError.failed("a block must not use the shared store that runs it")
    }
    return try withoutActuallyEscaping(body) { body in
      let box = ResultBox<Result>()
      let job = Job<Resource> { resource in box.result = Swift.Result { try body(resource) } }
      guard mailbox.post(job, isLast: isLast) else { throw StoreError.failed("the store is closed") }
      job.wait()
      return try box.get()
    }
  }
}

/// Where a block's result waits for the thread that asked.
private final class ResultBox<Value>: @unchecked Sendable {
  var result: Result<Value, any Error>?

  func get() throws -> Value {
    guard let result else { throw StoreError.failed("the store's thread ended before it answered") }
    return try result.get()
  }
}

private final class Job<Resource>: @unchecked Sendable {
  private var work: ((Resource) -> Void)?
  private let done = DispatchSemaphore(value: 0)

  init(_ work: @escaping (Resource) -> Void) { self.work = work }

  func run(on resource: Resource) {
    perform(resource)
    done.signal()
  }

  /// Lets go of the block before the caller goes on: it belongs to the caller's stack.
  @inline(never)
  private func perform(_ resource: Resource) {
    work?(resource)
    work = nil
  }

  func wait() { done.wait() }
}

private final class Mailbox<Resource>: @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [Job<Resource>] = []
  private var isStopped = false

  /// Returns false if no more jobs are taken.
  func post(_ job: Job<Resource>, isLast: Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isStopped else { return false }
    jobs.append(job)
    isStopped = isLast
    condition.signal()
    return true
  }

  func stop() {
    condition.lock()
    isStopped = true
    condition.signal()
    condition.unlock()
  }

  /// The next job, or nil when all are done and no more are taken.
  func next() -> Job<Resource>? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty, !isStopped { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}
