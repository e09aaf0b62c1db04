import Foundation

/// A store for many threads, made from a backend that can use only one. One thread owns the store and runs all
/// closures, while their callers wait. Each call costs two thread switches.
final class SharedStoreEmulation: SharedStore, @unchecked Sendable {
  let settings: String
  private let mailbox = Mailbox()
  private let thread: Thread

  init(opening environment: StoreEnvironment, as backend: any StorageBackend.Type) throws {
    let mailbox = self.mailbox
    nonisolated(unsafe) var opened: Result<String, any Error>!
    let done = DispatchSemaphore(value: 0)
    thread = Thread {
      let made = Result { OneThreadStore(try backend.init(opening: environment)) }
      opened = made.map(\.settings)
      done.signal()
      guard case .success(let store) = made else { return }
      while let job = mailbox.next() { job.run(on: store) }
    }
    // Engines may use deep stacks, so the thread gets the size of a main thread's stack.
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
    settings = try opened.get()
  }

  deinit {
    // A handle that was dropped without being closed must still close its files. Errors have no receiver then.
    try? close()
    mailbox.stop()
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try run { try $0.read(body) } }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try run { try $0.write(body) }
  }

  func settle() throws { try run { try $0.settle() } }

  func close() throws { try run(isLast: true) { try $0.close() } }

  /// Runs the closure `body` on the thread that owns the store, and waits until the closure has ended. After a last
  /// closure, and on the thread itself, throws ``StoreError/failed(_:)``.
  private func run<Result>(isLast: Bool = false, _ body: (OneThreadStore) throws -> Result) throws -> Result {
    guard Thread.current !== thread else {
      throw StoreError.failed("a block must not call the shared store that runs it; use the store passed to the block")
    }
    return try withoutActuallyEscaping(body) { body in
      var answer: Swift.Result<Result, any Error>!
      let job = Job { store in answer = Swift.Result { try body(store) } }
      guard mailbox.post(job, isLast: isLast) else { throw StoreError.failed("the store is closed") }
      job.wait()
      return try answer.get()
    }
  }
}

private final class Job: @unchecked Sendable {
  private var work: ((OneThreadStore) -> Void)?
  private let done = DispatchSemaphore(value: 0)

  init(_ work: @escaping (OneThreadStore) -> Void) { self.work = work }

  func run(on store: OneThreadStore) {
    perform(store)
    done.signal()
  }

  /// Runs and releases the closure ``work``. Only then may the caller of ``wait()`` be woken, because its stack holds
  /// the closure.
  @inline(never)
  private func perform(_ store: OneThreadStore) {
    work?(store)
    work = nil
  }

  func wait() { done.wait() }
}

private final class Mailbox: @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [Job] = []
  private var isStopped = false

  func post(_ job: Job, isLast: Bool) -> Bool {
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

  func next() -> Job? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty, !isStopped { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}
