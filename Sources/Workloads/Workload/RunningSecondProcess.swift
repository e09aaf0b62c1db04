import StorageContract

/// How a process goes about a store that it shares.
struct SharingMode: Codable, Sendable, Equatable {
  var way: SharingWay
  /// Whether it takes a lock file for each read and each save.
  var hasLock: Bool
}

/// What the second process is asked to do.
public struct SecondProcessOrder: Codable, Sendable {
  /// The memory that both share.
  var board: String
  var manner: SharingMode
  /// How many saves it makes; nil for as many as it can until it is stopped.
  var saves: Int?
  /// Whether it makes each save when it is told to.
  var takesTurns = false
  /// In the middle of which of its saves, counted from 1, it stays until it is killed.
  var holdsIn: Int?
  /// Whether losses are counted in any case, where a process is killed whose store may not survive it.
  var mayLose = false
}

/// What the second process has met.
public struct SecondProcessReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether its last save failed in a way that leaves open whether it was made.
  var isUncertain: Bool
}

/// A second process that is at work.
public protocol RunningSecondProcess: AnyObject {
  /// Whether it has ended, for whatever reason.
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
