import StorageContract

struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether the process holds a lock file during each read and each save.
  var hasLock: Bool
}

/// The instructions for the second of two processes that share a store.
public struct SecondProcessOrder: Codable, Sendable {
  /// The path of the mapped file through which the processes coordinate (``SharedCounters``).
  var board: String
  var manner: SharingMode
  /// The number of saves. If it is nil, the process saves until the first process sends the stop signal.
  var saves: Int?
  /// Whether the process waits for the first process before each save, so that both save alternately.
  var takesTurns = false
  /// The number (from 1) of a save in which the process stops before the commit and waits to be killed; nil for none.
  var holdsIn: Int?
  /// Whether a loss is only counted and is no error, because a killed process may damage the store.
  var mayLose = false
}

/// The report of the second of two processes: its counts of saves, errors and losses.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether the last save failed with an error after which the store may or may not contain the save.
  var isUncertain: Bool
}

/// A handle to the second of two processes that share a store.
public protocol RunningSecondProcess: AnyObject {
  /// Whether the process has ended, for any reason.
  var hasEnded: Bool { get }
  /// Kills the process with SIGKILL, without waiting for its end.
  func kill()
  /// Waits for the end of the process after ``kill()``.
  func bury()
  /// Waits for the end of the process and returns its report.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with the error message of the process if it could not do its task.
  func report() throws -> SecondProcessReport
}
