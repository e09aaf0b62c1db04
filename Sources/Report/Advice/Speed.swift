import StorageStatistics

/// The speed of a storage engine in an app, as one of three classes that a person can distinguish.
public enum Speed: Int, Sendable, Comparable, Encodable {
  /// The class of short waits: at most one frame for a save with its reads, 100 ms or the user's limit for a launch.
  case fastEnough
  /// The class of waits up to four times as long as those of ``fastEnough``.
  case borderline
  /// The class of waits longer than ``borderline``. A launch over the user's limit also belongs to this class.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds: 100 ms. Apple's target is 400 ms, according to
  /// "Reducing your app's launch time".
  public static let launch = 100_000_000.0

  /// The factor by which a ``borderline`` wait may exceed the limit of ``fastEnough``.
  static let reach = 4.0

  /// Chooses the speed class of a wait, in nanoseconds: ``fastEnough`` up to `limit`, ``borderline`` up to four times
  /// `limit`.
  init(_ nanoseconds: Double, limit: Double) {
    self = nanoseconds <= limit ? .fastEnough : nanoseconds <= limit * Self.reach ? .borderline : .tooSlow
  }

  public static func < (left: Speed, right: Speed) -> Bool { left.rawValue < right.rawValue }

  /// The speed class as text, such as `fast enough`.
  public var words: String {
    switch self {
    case .fastEnough: "fast enough"
    case .borderline: "borderline"
    case .tooSlow: "too slow"
    }
  }
}
