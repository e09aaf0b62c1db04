import Foundation

/// A timed process's turn: when it has prepared its store, when its clock may start, and when that has stopped.
///
/// A process that has stopped its clock has its store to verify, and the next ones have theirs to prepare: these go on
/// side by side. Nothing goes on beside a clock: it starts when the process before has exited, its files are gone and
/// its trial is in the journal, and when those that come later are not running either, but wait with their stores
/// prepared. What all this has left to be written, the process writes back first, see ``ClockGate``.
final class Turn: Sendable {
  private let preparation = Moment()
  private let beginning = Moment()
  private let stop = Moment()

  /// Tells that the store is prepared, and that the process only waits for its turn.
  func prepared() { preparation.happen() }

  /// Waits until the process only waits for its turn.
  func isPrepared() async { await preparation.hasHappened() }

  /// Lets the clock start: nothing else is running.
  func begin() { beginning.happen() }

  /// Waits until the clock may start.
  func hasBegun() async { await beginning.hasHappened() }

  /// When the clock was allowed to start, or nil if it is not yet.
  var began: Date? { beginning.date }

  /// Tells that the clock has stopped.
  func clockStopped() { stop.happen() }

  /// Waits until the clock has stopped.
  func clockHasStopped() async { await stop.hasHappened() }

  /// Tells that there is no process any more.
  func end() {
    prepared()
    clockStopped()
  }
}

/// Something that happens once, for tasks to wait for. They are not woken by being cancelled: whoever cancels them has
/// it happen.
private final class Moment: @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var happened: Date?

  var date: Date? { lock.withLock { happened } }

  func happen() {
    let woken = lock.withLock {
      defer { waiting = [] }
      happened = happened ?? Date()
      return waiting
    }
    for continuation in woken { continuation.resume() }
  }

  func hasHappened() async {
    await withCheckedContinuation { continuation in
      let isPast = lock.withLock {
        if happened == nil { waiting.append(continuation) }
        return happened != nil
      }
      if isPast { continuation.resume() }
    }
  }
}
