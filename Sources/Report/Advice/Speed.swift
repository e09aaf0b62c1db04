import StorageStatistics

/// The speed of a storage engine in an app, as one of three classes that a person can distinguish.
public enum Speed: Sendable, Comparable {
  /// The fastest class: a save with its reads takes at most one screen frame, and a launch at most 100 ms (or the
  /// user's limit).
  case fastEnough
  /// The middle class: a save or a launch takes up to four times as long as ``fastEnough`` allows. A launch over the
  /// user's limit is ``tooSlow`` instead.
  case borderline
  /// The slowest class: a save or a launch takes longer than ``borderline`` allows, or a launch exceeds the user's
  /// limit.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds: 100 ms. Apple's target is 400 ms, according to
  /// "Reducing your app's launch time".
  public static let launch = 100_000_000.0

  /// The factor between the longest time of ``borderline`` and the longest time of ``fastEnough``.
  static let reach = 4.0

  /// Chooses the speed class for a time in nanoseconds: ``fastEnough`` up to `limit`, ``borderline`` up to four times
  /// `limit`.
  init(_ nanoseconds: Double, limit: Double) {
    self = nanoseconds <= limit ? .fastEnough : nanoseconds <= limit * Self.reach ? .borderline : .tooSlow
  }

  /// The speed class as text, such as `fast enough`.
  public var words: String {
    switch self {
    case .fastEnough: "fast enough"
    case .borderline: "borderline"
    case .tooSlow: "too slow"
    }
  }
}
