import Foundation
import StorageContract

/// A writer for a store whose commits change only its memory. It writes the changes later on a background queue, at
/// most once per interval. An interval begins with the first change after a write.
///
/// A lock lets commits, reads and the start of a write take turns. If a background write fails, the next commit or the
/// closing of the store throws its error. The changes stay in memory and are written later.
final class Debouncer: @unchecked Sendable {
  /// A function that begins a write under the lock: for example, it copies the store's records. It returns the rest of
  /// the write, which needs no lock.
  typealias Start = () -> () throws -> Void

  private let every: Int64
  private let hasTimer: Bool
  private let queue = DispatchQueue(label: "storage-bench.debouncer")
  private let lock = NSLock()
  /// The lock that keeps a second write from starting during a write. It is taken before ``lock``.
  private let writing = NSLock()
  private var start: Start = { {} }
  private var (isChanged, isScheduled) = (false, false)
  private var failure: (any Error)?

  /// Creates a writer of delayed writes, or nil if the options do not delay writes.
  init?(_ environment: StoreEnvironment) {
    let options = environment.options
    guard WholeFileOptions.delayedPromise(.shipped, options) == .level(.volatile) else { return nil }
    every = Quantity.nanoseconds(options[WholeFileOptions.every]) ?? 0
    hasTimer = environment.hasTimers
  }

  var settings: String { " write=debounced every=\(Quantity.time(every))" }

  /// Whether a background write has failed and its error has not been thrown yet.
  var hasFailed: Bool { lock.withLock { failure != nil } }

  func write(by start: @escaping Start) { self.start = start }

  func read<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

  /// Changes the store's memory, and schedules a write. If an earlier write has failed, throws its error and changes
  /// nothing.
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

  /// Writes the changes that are not written yet. Afterwards, throws the error of an earlier background write.
  func flush() throws {
    try writeChanges()
    let failure = lock.withLock {
      defer { self.failure = nil }
      return self.failure
    }
    if let failure { throw failure }
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
