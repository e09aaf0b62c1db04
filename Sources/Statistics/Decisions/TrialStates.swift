/// The rule by which operations that take very long are timed only once, because repetitions of a long wait add little
/// information. Reports mark such a time with `×1`, without an interval, and never name it the best.
public enum TimedOnce {
  /// The time in nanoseconds beyond which an operation, or the opening of the store, is timed only once.
  public static let limit: Int64 = 250_000_000

  /// Returns whether one timed trial (process) of a backend with a workload is enough.
  ///
  /// - Parameters:
  ///   - operations: The number of operations within the timed part.
  ///   - elapsed: The time of the timed operations, in nanoseconds.
  ///   - opening: The time from the start of the trial's set-up to the open store, in nanoseconds.
  public static func isEnough(operations: Int, elapsed: Int64, opening: Int64) -> Bool {
    opening > limit || operations == 1 && elapsed > limit
  }
}

/// The rule that decides whether a store keeps up with operations that start on a fixed schedule.
public enum OpenLoop {
  /// The share of the scheduled rate of operations below which a store has fallen behind.
  static let keepingUp = 0.95

  /// Returns whether a store fell behind: whether it reached clearly fewer operations per second than requested.
  public static func fellBehind(reached: Double, asked: Double) -> Bool { reached < keepingUp * asked }
}
