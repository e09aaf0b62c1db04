import StorageStatistics

/// How fast a store is for an app, as a person feels it.
///
/// Two times that nobody feels are not worth choosing by, so a choice begins with these three classes.
public enum Speed: Int, Sendable, Comparable, Encodable {
  /// A save with its reads fits into one frame, and the app is on the screen within ``launch``.
  case fastEnough
  /// Up to four times as long: frames are dropped, or the start is seen to take time.
  case borderline
  /// Longer than that.
  case tooSlow

  /// The time from a start to the first screen that is felt as immediate, in nanoseconds. Four times that, 400 ms, is
  /// what Apple asks of apps ("Reducing your app's launch time").
  public static let launch = 100_000_000.0

  /// How many times a limit may be exceeded before it is too slow.
  static let reach = 4.0

  /// Puts a time into its class.
  ///
  /// - Parameters:
  ///   - nanoseconds: The upper end of what was measured.
  ///   - limit: The longest time that is fast enough, in nanoseconds.
  init(_ nanoseconds: Double, limit: Double) {
    self = nanoseconds <= limit ? .fastEnough : nanoseconds <= limit * Self.reach ? .borderline : .tooSlow
  }

  public static func < (left: Speed, right: Speed) -> Bool { left.rawValue < right.rawValue }

  /// `fast enough`.
  public var words: String {
    switch self {
    case .fastEnough: "fast enough"
    case .borderline: "borderline"
    case .tooSlow: "too slow"
    }
  }
}
