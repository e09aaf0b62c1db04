import Foundation
import StorageContract

/// A writer that delays a store's writes: a background queue writes at most once per interval. The next commit throws
/// the error of a failed write.
final class Debouncer: @unchecked Sendable {
  /// A function that takes a snapshot of the store while the store is locked. The returned function writes the snapshot
  /// without the lock.
  typealias Start = () -> () throws -> Void

  private let every: Int64
  private let hasTimer: Bool
  private let queue = DispatchQueue(label: "storage-bench.debouncer")
  private let lock = NSLock()
  /// The lock that admits one write at a time, to be taken before ``lock``.
  private let writing = NSLock()
  private var start: Start = { {} }
  private var (isChanged, isScheduled) = (false, false)
  private var failure: (any Error)?

  /// Creates a writer that delays the writes of a store, or nil if the store's options do not request a delay.
  init?(_ environment: StoreEnvironment) {
    let options = environment.options
    guard WholeFileOptions.delayedPromise(.shipped, options) == .level(.volatile) else { return nil }
    every = Quantity.nanoseconds(options[WholeFileOptions.every]) ?? 0
    hasTimer = environment.hasTimers
  }

  var settings: String { " write=debounced every=\(Quantity.time(every))" }

  /// Whether a background write has failed with an error that was not thrown yet.
  var hasFailed: Bool { lock.withLock { failure != nil } }

  func write(by start: @escaping Start) { self.start = start }

  func read<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

  /// Runs the body, which changes the store's memory, and schedules a write. If an earlier write has failed, throws
  /// that write's error and does not run the body.
  func change(_ body: () throws -> Void) throws {
    lock.lock()
    defer { lock.unlock() }
    if let failure {
      self.failure = nil
      schedule()
      throw failure
    }
    try body()
    isChanged = true
    schedule()
  }

  /// Writes all changes that are only in memory. Then throws the error of an earlier background write, if any.
  func flush() throws {
    try writeChanges()
    try lock.withLock {
      defer { failure = nil }
      if let failure { throw failure }
    }
  }

  private func schedule() {
    guard hasTimer, !isScheduled else { return }
    isScheduled = true
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(every))) { [weak self] in self?.timeHasPassed() }
  }

  private func timeHasPassed() {
    lock.withLock { isScheduled = false }
    do {
      try writeChanges()
    } catch {
      lock.withLock { failure = error }
    }
  }

  private func writeChanges() throws {
    writing.lock()
    defer { writing.unlock() }
    let rest: (() throws -> Void)? = lock.withLock {
      guard isChanged else { return nil }
      isChanged = false
      return start()
    }
    do {
      try rest?()
    } catch {
      lock.withLock { isChanged = true }
      throw error
    }
  }
}
