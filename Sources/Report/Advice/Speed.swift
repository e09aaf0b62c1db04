import StorageStatistics

/// The class of a store's speed for an app, as a person perceives it.
///
/// Differences that a person cannot perceive do not matter, so engines are sorted into these three classes first.
public enum Speed: Int, Sendable, Comparable, Encodable {
  /// A save with its reads fits into one frame, and the app is on the screen within ``launch``.
  case fastEnough
  /// A time up to four times the limit of fast enough: frames are dropped, or the launch is noticeably slow.
  case borderline
  /// A time of more than four times the limit of fast enough.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds. Four times that, 400 ms, is Apple's target for
  /// apps ("Reducing your app's launch time").
  public static let launch = 100_000_000.0

  /// The factor above a limit from which a time is too slow.
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
