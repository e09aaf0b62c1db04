import Dispatch
import Foundation

extension ManagedObjectContext {
  /// Runs the block on the context's queue, later. Afterwards the changes it made are processed.
  ///
  /// A confined context has no queue, so it runs the block at once.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    guard concurrencyType != .confinement else { return performAndWait(body) }
    queue.async {
      QueueScope.run(self, waiting: nil) {
        body()
        // An error here occurs again in the next save, which throws it.
        try? self.processPendingChanges()
      }
    }
  }

  /// Runs the block on the context's queue and waits for it.
  ///
  /// It may be called from inside such a block, also from that of another context which this one's block waits for.
  /// Two blocks of two contexts that wait for each other's context wait forever, as everywhere: let one of them use
  /// ``perform(_:)-(()->Void)``.
  public func performAndWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    if isOnQueue { return try body() }
    // It has no queue to wait for.
    if concurrencyType == .confinement { checkQueue() }
    let waiting = QueueScope.current
    return try queue.sync {
      try QueueScope.run(self, waiting: waiting) {
        defer { try? processPendingChanges() }
        return try body()
      }
    }
  }

  /// Runs the block on the context's queue.
  public func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      perform { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Whether the caller may use the context.
  var isOnQueue: Bool {
    switch concurrencyType {
    case .privateQueue: QueueScope.current?.contains(self) ?? false
    case .confinement: pthread_equal(thread, pthread_self()) != 0
    }
  }

  func checkQueue() {
    precondition(
      isOnQueue, "the context '\(name)' or an object of it was used off the context's queue; use perform")
  }
}
