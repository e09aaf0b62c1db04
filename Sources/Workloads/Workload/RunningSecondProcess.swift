import StorageContract

/// The manner in which a process shares a store.
struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether the process takes a lock file for each read and each save.
  var hasLock: Bool
}

/// The task of the second process.
public struct SecondProcessOrder: Codable, Sendable {
  /// The path of the shared counters.
  var board: String
  var manner: SharingMode
  /// The number of saves; nil to save until stopped.
  var saves: Int?
  /// Whether each save waits for a signal.
  var takesTurns = false
  /// The number, from 1, of the save during which it waits to be killed; nil for none.
  var holdsIn: Int?
  /// Whether losses are only counted: a process is killed, and its store may not survive that.
  var mayLose = false
}

/// The counts of the second process.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether the last save failed without showing whether it was made.
  var isUncertain: Bool
}

/// A running second process.
public protocol RunningSecondProcess: AnyObject {
  /// Whether the process has ended, for any reason.
  var hasEnded: Bool { get }
  /// Sends SIGKILL without waiting.
  func kill()
  /// Waits for the end of a killed process.
  func bury()
  /// Waits for the end of the process.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with the message of the process if it could not do its task.
  func report() throws -> SecondProcessReport
}
