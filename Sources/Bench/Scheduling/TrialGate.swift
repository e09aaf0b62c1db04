import CStorageInstrument
import Foundation

/// A timed process's turn: when it has prepared its store, when its clock may start, and when that has stopped.
///
/// A process that has stopped its clock has its store to verify, and the next ones have theirs to prepare: these go on
/// side by side. Nothing goes on beside a clock: it starts when the process before has exited, its files are gone and
/// its trial is in the journal. Those that come later wait with their stores prepared, or are paused in the middle of
/// that. What all this has left to be written, the process writes back first, see ``ClockGate``.
final class TrialGate: Sendable {
  private let start = OneShotEvent()
  private let preparation = OneShotEvent()
  private let beginning = OneShotEvent()
  private let stop = OneShotEvent()
  private let pauses = Pauses()

  /// Tells that the process is there.
  ///
  /// - Parameter pause: Pauses it, or lets it go on. When it returns, that has happened.
  func started(_ pause: @escaping @Sendable (Bool) -> Void) {
    pauses.use(pause)
    start.happen()
  }

  /// Waits until the process is there, or will not be.
  func hasStarted() async { await start.hasHappened() }

  /// Pauses the process, or lets it go on. One that is gone stays so.
  func pause(_ isPaused: Bool) { pauses.pause(isPaused) }

  /// For how many nanoseconds of a time the process was paused, by the clock that all processes share.
  func paused(within time: ClosedRange<Int64>) -> Int64 { pauses.length(within: time) }

  /// Tells that the store is prepared, and that the process only waits for its turn.
  func prepared() { preparation.happen() }

  /// Waits until the process only waits for its turn.
  func isPrepared() async { await preparation.hasHappened() }

  /// Waits until the process only waits for its turn, but not for longer than it may prepare: its pauses left out. What
  /// has taken longer counts as prepared, so that nobody waits for it.
  ///
  /// - Parameter limit: In nanoseconds.
  /// - Returns: Whether it was in time.
  func isPrepared(within limit: Int64) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        let start = ci_now()
        var left = limit
        while left > 0 {
          // Cancelled since it is prepared.
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

  /// Lets the clock start: nothing else is running.
  func begin() { beginning.happen() }

  /// Lets nobody wait any more until the clock may start: there is no process, or it is being ended.
  func giveUp() { beginning.happen(at: nil) }

  /// Waits until the clock may start, or never will.
  func hasBegun() async { await beginning.hasHappened() }

  /// When the clock was allowed to start, or nil if it was not.
  var began: Date? { beginning.date }

  /// Tells that the clock has stopped.
  func clockStopped() { stop.happen() }

  /// Waits until the clock has stopped.
  func clockHasStopped() async { await stop.hasHappened() }

  /// Tells that there is no process any more.
  func end() {
    pauses.use(nil)
    start.happen()
    prepared()
    clockStopped()
  }
}

/// When a process was paused.
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

/// Something that happens once, for tasks to wait for. They are not woken by being cancelled: whoever cancels them has
/// it happen.
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
