/// Whether one timed trial of a cell is enough: waiting six times for what takes that long tells little more.
///
/// Such a row has no interval and never wins; it is shown with the mark `x1`.
public enum TimedOnce {
  /// Nanoseconds beyond which one operation, or opening the store, is waited for once.
  public static let limit: Int64 = 250_000_000

  /// Decides from a trial.
  ///
  /// - Parameters:
  ///   - operations: Operations within the timed part.
  ///   - elapsed: Nanoseconds that they took.
  ///   - opening: Nanoseconds from the start of the trial's set-up to the open store.
  public static func isEnough(operations: Int, elapsed: Int64, opening: Int64) -> Bool {
    opening > limit || operations == 1 && elapsed > limit
  }
}

/// Whether operations that were to start on a schedule kept to it.
public enum OpenLoop {
  /// The share of its schedule that a row must reach, or it has fallen behind.
  static let keepingUp = 0.95

  /// Decides from the operations per second that were reached and those that were asked for.
  public static func fellBehind(reached: Double, asked: Double) -> Bool { reached < keepingUp * asked }
}
