import StorageContract

struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether the processes that share the store hold a lock file during each read and each save.
  var hasLock: Bool
}

/// The instructions for the second of two processes that share a store.
public struct SecondProcessOrder: Codable, Sendable {
  /// The path of the file with the ``SharedCounters`` of both processes.
  var board: String
  var manner: SharingMode
  /// The number of saves that the second process makes, or nil to save until the stop signal.
  var saves: Int?
  /// Whether the two processes save alternately.
  var takesTurns = false
  /// The save, counted from 1, in the middle of which the second process stops and waits to be killed. Nil if the
  /// process never waits.
  var holdsIn: Int?
  /// Whether lost saves are counted instead of thrown as errors. True if a killed process may damage the store.
  var mayLose = false
}

/// The second of two processes that share a store, controlled by the first process.
public protocol RunningSecondProcess: AnyObject {
  /// Whether the second process has ended, for any reason.
  var hasEnded: Bool { get }
  /// Kills the second process by the signal SIGKILL, without waiting for its end.
  func kill()
  /// Waits until the killed process has ended. To be called after ``kill()``, which does not wait.
  func bury()
  /// Waits until the second process has ended, and returns its report.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with the error message of the process if the process failed.
  func report() throws -> SharingTally
}
