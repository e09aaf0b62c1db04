import Dispatch
import Foundation

extension ManagedObjectContext {
  /// Runs the block asynchronously on the context's queue, then ``processPendingChanges()``. With
  /// ``ConcurrencyType/confinement``, runs the block at once.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    guard concurrencyType != .confinement else { return performAndWait(body) }
    queue.async { QueueScope.run(self, waiting: nil, body) }
  }

  /// Runs the block on the context's queue, waits for its end, and returns the result. Calls may be nested. Two threads
  /// that wait for each other's contexts deadlock.
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    if isOnQueue { return try body() }
    // Always stops the program: the calling thread is not the one that created the context.
    if concurrencyType == .confinement { checkQueue() }
    let waiting = QueueScope.current
    return try queue.sync { try QueueScope.run(self, waiting: waiting, body) }
  }

  /// Runs the block on the context's queue, waits without blocking the thread, and returns the block's result.
  public func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      perform { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  var isOnQueue: Bool {
    switch concurrencyType {
    case .privateQueue: QueueScope.current?.contains(self) ?? false
    case .confinement: pthread_equal(thread, pthread_self()) != 0
    }
  }

  func checkQueue() {
    precondition(isOnQueue, "the context '\(name)' or an object of it was used off the context's queue; use perform")
  }
}
