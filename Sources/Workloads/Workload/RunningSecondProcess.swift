import StorageContract

/// The manner in which a process shares a store.
struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether the process takes a lock file for each read and each save.
  var hasLock: Bool
}

/// The task of the second of two processes that share a store.
public struct SecondProcessOrder: Codable, Sendable {
  /// The path of the file of shared counters.
  var board: String
  var manner: SharingMode
  /// The number of saves; nil to save until stopped.
  var saves: Int?
  /// Whether each save waits for a signal of the first process.
  var takesTurns = false
  /// The number, from 1, of the save during which the process waits to be killed; nil for none.
  var holdsIn: Int?
  /// Whether losses are only counted, as the store may not survive that a process is killed.
  var mayLose = false
}

/// The report of the second process: its counts of saves, errors and losses.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether the last save failed with an error that leaves its result unknown.
  var isUncertain: Bool
}

/// A handle to the second of two processes that share a store.
public protocol RunningSecondProcess: AnyObject {
  /// Whether the process has ended, for any reason.
  var hasEnded: Bool { get }
  /// Sends SIGKILL without waiting.
  func kill()
  /// Waits for the end of a killed process.
  func bury()
  /// Waits for the end of the process and returns its report.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with the message of the process if it could not do its task.
  func report() throws -> SecondProcessReport
}
