import CStorageInstrument
import Foundation

/// The gate at which a process waits before it starts its clock. The gate opens when all other processes of the round
/// are paused or wait: see ``ClockGate``.
final class TrialGate: Sendable {
  private let start = OneShotEvent()
  private let preparation = OneShotEvent()
  private let beginning = OneShotEvent()
  private let stop = OneShotEvent()
  private let pauses = Pauses()

  /// Records that the process was started. The closure `pause` pauses (true) or resumes (false) the process.
  func started(_ pause: @escaping @Sendable (Bool) -> Void) {
    pauses.use(pause)
    start.happen()
  }

  /// Waits until the process of this gate has been started, or can no longer be started.
  func hasStarted() async { await start.hasHappened() }

  func pause(_ isPaused: Bool) { pauses.pause(isPaused) }

  func paused(within time: ClosedRange<Int64>) -> Int64 { pauses.length(within: time) }

  func prepared() { preparation.happen() }

  func isPrepared() async { await preparation.hasHappened() }

  /// Waits until the process has prepared its store, at most `limit` nanoseconds. Time in which the process is paused
  /// does not count.
  ///
  /// - Returns: False if the limit was exceeded. All tasks that wait for the preparation then continue.
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
        self.prepared()
        return false
      }
      await isPrepared()
      group.cancelAll()
      return await group.next() ?? true
    }
  }

  func begin() { beginning.happen() }

  /// Wakes all tasks that wait for the process to start timing. Called if the process may never start timing.
  func giveUp() { beginning.happen(at: nil) }

  func hasBegun() async { await beginning.hasHappened() }

  var began: Date? { beginning.date }

  func clockStopped() { stop.happen() }

  func clockHasStopped() async { await stop.hasHappened() }

  func end() {
    pauses.use(nil)
    start.happen()
    prepared()
    clockStopped()
  }
}

private final class Pauses: @unchecked Sendable {
  private let lock = NSLock()
  private var change: (@Sendable (Bool) -> Void)?
  private var past: [ClosedRange<Int64>] = []
  private var began: Int64?

  func use(_ change: (@Sendable (Bool) -> Void)?) { lock.withLock { self.change = change } }

  func pause(_ isPaused: Bool) {
    lock.withLock {
      guard isPaused != (began != nil) else { return }
      if let began { past.append(began...max(began, ci_now())) }
      began = isPaused ? ci_now() : nil
      change?(isPaused)
    }
  }

  func length(within time: ClosedRange<Int64>) -> Int64 {
    lock.withLock {
      (past + (began.map { [$0...max($0, ci_now())] } ?? [])).filter { $0.overlaps(time) }.map { $0.clamped(to: time) }
        .reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }
  }
}

/// An event that happens once. A cancelled task still waits for the event, so the event must also happen after a
/// cancellation.
private final class OneShotEvent: @unchecked Sendable {
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
