/// The rule by which very slow operations are timed only once. Reports mark such a time with `×1`.
public enum TimedOnce {
  /// The duration in nanoseconds of an operation, or of opening the store, above which one timing is enough.
  public static let limit: Int64 = 250_000_000

  /// Returns whether a benchmark is so slow that one timing is enough.
  ///
  /// - Parameters:
  ///   - operations: The number of timed operations.
  ///   - elapsed: The total time of the operations, in nanoseconds.
  ///   - opening: The time from the start of the set-up until the store is open, in nanoseconds.
  public static func isEnough(operations: Int, elapsed: Int64, opening: Int64) -> Bool {
    opening > limit || operations == 1 && elapsed > limit
  }
}

/// The rule that decides whether a store keeps up with operations that start on a fixed schedule.
public enum OpenLoop {
  /// The minimum share of the requested operations per second that a store must complete to keep up.
  static let keepingUp = 0.95

  /// Returns whether a store completed clearly fewer operations per second (`reached`) than requested (`asked`).
  public static func fellBehind(reached: Double, asked: Double) -> Bool { reached < keepingUp * asked }
}
