import StorageStatistics

/// The speed of a store for an app, in three classes that a person can distinguish. Recommendations sort engines by
/// class first.
public enum Speed: Int, Sendable, Comparable, Encodable {
  /// A save, together with the reads that the app makes for each save, takes at most one frame of the screen. A launch
  /// takes at most ``launch``, or at most the limit that the user has set.
  case fastEnough
  /// The time of a save with its reads, or of a launch, is up to four times the limit of ``fastEnough``. Frames are
  /// dropped, or the launch is noticeably slow.
  case borderline
  /// The time of a save with its reads, or of a launch, is more than four times the limit of ``fastEnough``.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds (100 ms). Four times this value is Apple's
  /// target for apps: 400 ms, according to "Reducing your app's launch time".
  public static let launch = 100_000_000.0

  /// The factor by which a time may exceed its limit and still be ``borderline``. Longer times are too slow.
  static let reach = 4.0

  /// Classifies a waiting time in nanoseconds, where `limit` is the longest time that is fast enough.
  init(_ nanoseconds: Double, limit: Double) {
    self = nanoseconds <= limit ? .fastEnough : nanoseconds <= limit * Self.reach ? .borderline : .tooSlow
  }

  public static func < (left: Speed, right: Speed) -> Bool { left.rawValue < right.rawValue }

  /// The speed class as text: `fast enough`.
  public var words: String {
    switch self {
    case .fastEnough: "fast enough"
    case .borderline: "borderline"
    case .tooSlow: "too slow"
    }
  }
}
