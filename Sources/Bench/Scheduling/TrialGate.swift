import CStorageInstrument
import Foundation

/// The gate at which a process waits before it starts its clock. The gate opens when all other processes of the round
/// are paused or wait: see ``ClockGate``.
final class TrialGate: @unchecked Sendable {
  /// The process has been started, or can no longer be started.
  let start = OneShotEvent()
  /// The process has prepared its store.
  let preparation = OneShotEvent()
  /// The process may start its clock. The event without a date means that it may never start.
  let beginning = OneShotEvent()
  /// The clock of the process has stopped.
  let stop = OneShotEvent()

  private let lock = NSLock()
  private var change: (@Sendable (Bool) -> Void)?
  private var past: [ClosedRange<Int64>] = []
  private var pausedSince: Int64?

  /// Records that the process was started. The closure `pause` pauses (true) or resumes (false) the process.
  func started(_ pause: @escaping @Sendable (Bool) -> Void) {
    lock.withLock { change = pause }
    start.happen()
  }

  func pause(_ isPaused: Bool) {
    lock.withLock {
      guard isPaused != (pausedSince != nil) else { return }
      if let pausedSince { past.append(pausedSince...max(pausedSince, ci_now())) }
      pausedSince = isPaused ? ci_now() : nil
      change?(isPaused)
    }
  }

  func paused(within time: ClosedRange<Int64>) -> Int64 {
    lock.withLock {
      (past + (pausedSince.map { [$0...max($0, ci_now())] } ?? [])).filter { $0.overlaps(time) }
        .map { $0.clamped(to: time) }.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }
  }

  /// Waits until the process is prepared, at most `limit` nanoseconds without pauses. If the limit was exceeded,
  /// returns false, and lets all waiting tasks continue.
  func isPrepared(within limit: Int64) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        let start = ci_now()
        var left = limit
        while left > 0 {
          // The sleep was cancelled, so the store is prepared.
          guard (try? await Task.sleep(nanoseconds: UInt64(left))) != nil else { return true }
          let now = ci_now()
          left = limit - (now - start - self.paused(within: start...now))
        }
        self.preparation.happen()
        return false
      }
      await preparation.hasHappened()
      group.cancelAll()
      return await group.next() ?? true
    }
  }

  /// Wakes all tasks that wait for the process to start timing. Called if the process may never start timing.
  func giveUp() { beginning.happen(at: nil) }

  func end() {
    lock.withLock { change = nil }
    for event in [start, preparation, stop] { event.happen() }
  }
}

/// An event that happens once. It must also happen after a cancellation, because cancelled tasks still wait.
final class OneShotEvent: @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isPast = false
  private var happened: Date?

  var date: Date? { lock.withLock { happened } }

  func happen(at date: Date? = Date()) {
    let woken = lock.withLock {
      defer { waiting = [] }
      if !isPast { (isPast, happened) = (true, date) }
      return waiting
    }
    for continuation in woken { continuation.resume() }
  }

  func hasHappened() async {
    await withCheckedContinuation { continuation in
      let isPast = lock.withLock {
        if !self.isPast { waiting.append(continuation) }
        return self.isPast
      }
      if isPast { continuation.resume() }
    }
  }
}
