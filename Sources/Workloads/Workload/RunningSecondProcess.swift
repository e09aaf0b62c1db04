import StorageContract

/// The ways in which a process uses a shared store.
struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether it takes a lock file for each read and each save.
  var hasLock: Bool
}

/// The task of the second process.
public struct SecondProcessOrder: Codable, Sendable {
  /// The memory that both share.
  var board: String
  var manner: SharingMode
  /// The number of saves. Nil for as many as possible until it is stopped.
  var saves: Int?
  /// Whether it makes each save on a signal.
  var takesTurns = false
  /// In the middle of which of its saves, counted from 1, it stays until it is killed.
  var holdsIn: Int?
  /// Whether losses are counted in any case, where a process is killed whose store may not survive it.
  var mayLose = false
}

/// The counts of the second process.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether its last save failed in a way that leaves open whether it was made.
  var isUncertain: Bool
}

/// A second process that is at work.
public protocol RunningSecondProcess: AnyObject {
  /// Whether it has ended, for any reason.
  var hasEnded: Bool { get }
  /// Sends it SIGKILL, and does not wait.
  func kill()
  /// Waits until a process that was killed is gone.
  func bury()
  /// Waits for its end.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with what it says, where it could not do what it was asked to.
  func report() throws -> SecondProcessReport
}
