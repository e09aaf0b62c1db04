/// Whether operations that were to start on a schedule kept to it.
public enum OpenLoop {
  /// The share of its schedule that a row must reach, or it has fallen behind.
  static let keepingUp = 0.95

  /// Decides from the operations per second that were reached and those that were asked for.
  public static func fellBehind(reached: Double, asked: Double) -> Bool { reached < keepingUp * asked }
}
