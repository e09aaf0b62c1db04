import StorageStatistics

/// The speed of a store for an app, in three classes that a person can distinguish. Recommendations sort engines by
/// class first, because smaller differences are not perceived.
public enum Speed: Int, Sendable, Comparable, Encodable {
  /// A save with its reads takes at most one frame of the screen, and a launch takes at most ``launch``.
  case fastEnough
  /// The time is longer than ``fastEnough``, up to four times: frames are dropped, or the launch is noticeably slow.
  case borderline
  /// The time is more than four times the limit of ``fastEnough``.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds. Four times this value, 400 ms, is Apple's
  /// target for apps ("Reducing your app's launch time").
  public static let launch = 100_000_000.0

  /// The multiple of the limit up to which a time is ``borderline``. Above it, the time is ``tooSlow``.
  static let reach = 4.0

  /// Classifies the time that a person waits.
  ///
  /// - Parameters:
  ///   - nanoseconds: The upper end of the measured interval.
  ///   - limit: The longest time that is fast enough, in nanoseconds.
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
