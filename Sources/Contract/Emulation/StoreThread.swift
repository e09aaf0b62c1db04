import Foundation

/// A thread that owns a resource, such as an open store, and runs closures for other threads. The caller waits, so
/// `Sendable` is safe.
final class StoreThread<Resource>: @unchecked Sendable {
  private let mailbox = Mailbox<Resource>()
  private let thread: Thread

  init(_ make: @escaping @Sendable () throws -> Resource) throws {
    let mailbox = self.mailbox
    let opened = ResultBox<Void>()
    let done = DispatchSemaphore(value: 0)
    thread = Thread {
      let made = Result { try make() }
      opened.result = made.map { _ in }
      done.signal()
      guard case .success(let resource) = made else { return }
      while let job = mailbox.next() { job.run(on: resource) }
    }
    // Engines may use deep stacks, so the thread gets the size of a main thread's stack.
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
    try opened.get()
  }

  deinit { mailbox.stop() }

  /// Runs the closure `body` on the thread that owns the resource, and waits until the closure has ended.
  ///
  /// - Throws: The error of `body`; ``StoreError/failed(_:)`` if ``stop(_:)`` was called, or if the thread itself calls
  ///   this method.
  func run<Result>(_ body: (Resource) throws -> Result) throws -> Result { try run(isLast: false, body) }

  func stop(_ body: (Resource) throws -> Void) throws { try run(isLast: true, body) }

  private func run<Result>(isLast: Bool, _ body: (Resource) throws -> Result) throws -> Result {
    guard Thread.current !== thread else {
      throw StoreError.failed("a block must not call the shared store that runs it; use the store passed to the block")
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

  /// Runs and releases the closure ``work``. Only then may the caller of ``wait()`` be woken, because its stack holds
  /// the closure.
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

  func next() -> Job<Resource>? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty, !isStopped { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}
