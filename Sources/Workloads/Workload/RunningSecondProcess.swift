import StorageContract

struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether the process takes a lock file around each read and each save.
  var hasLock: Bool
}

/// The instructions for the second of two processes that share a store.
public struct SecondProcessOrder: Codable, Sendable {
  /// The path of the file with ``SharedCounters``, the numbers that both processes use.
  var board: String
  var manner: SharingMode
  /// The number of saves; nil to save until the first process says stop.
  var saves: Int?
  /// Whether each save waits for a permission of the first process, so that the processes save alternately.
  var takesTurns = false
  /// The number (from 1) of the save in which the process stops before the commit, waiting to be killed. Nil for none.
  var holdsIn: Int?
  /// Whether losses are counted instead of thrown, because a killed process may damage the store.
  var mayLose = false
}

/// The report of the second of two processes: its counts of saves, errors and losses.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether the last save failed with an error after which the save may be in the store or not.
  var isUncertain: Bool
}

/// A handle to the second of two processes that share a store.
public protocol RunningSecondProcess: AnyObject {
  /// Whether the process has ended, for any reason.
  var hasEnded: Bool { get }
  /// Kills the process with SIGKILL, without waiting for its end.
  func kill()
  /// Waits for the end of a process that was killed.
  func bury()
  /// Waits for the end of the process and returns its report.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with the message of the process if it could not do its task.
  func report() throws -> SecondProcessReport
}
