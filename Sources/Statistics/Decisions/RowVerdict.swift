/// The verdict on the times of two rows of a table, such as two backends, from the rounds (repetitions) of one run.
///
/// Only *slower* and *faster* name a winner. *About equal* means that equality was shown, *inconclusive* that neither a
/// difference nor equality was shown.
public enum RowVerdict: Sendable, Equatable {
  /// The judged row takes more time (slower) or less time (faster) than the row with which it is compared. The rounds
  /// (repetitions) agree, and the difference exceeds the margin of 5 %.
  case slower, faster
  /// The two rows are equally fast: the whole interval of the ratio of their times is within a margin of 5 %.
  case aboutEqual
  /// The rounds (repetitions) show neither a difference nor equality of the two rows.
  case inconclusive

  /// Whether one of the two rows was shown to be faster.
  public var isDifference: Bool { self == .slower || self == .faster }

  /// The share below which a difference between two rows is irrelevant: 0.05 is 5 %.
  public static let margin = 0.05

  /// Returns the distance from 1 that the nearer end of a ratio's interval must exceed to show a difference, on a
  /// logarithmic scale. The required distance is half of the interval's width. If the best of more than two `rivals` is
  /// compared, the required distance is three quarters of the width.
  static func distance(_ interval: MedianInterval, rivals: Int) -> Double {
    (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
  }

  /// Judges the row `head` against the row `base` by the ratio of their times, head / base. The interval of the ratio
  /// must have a minimum distance from 1. The minimum is larger if the base was chosen as the fastest of several rows.
  ///
  /// - Parameters:
  ///   - ratio: The ratio head / base, with its interval.
  ///   - rivals: The number of rows of which the base is the fastest; 2 for two rows that were not chosen by their
  ///     times.
  ///   - isMeasurable: Whether the difference exceeds the largest difference that the timer alone can cause.
  public init(_ ratio: PairedRatio, rivals: Int = 2, isMeasurable: Bool = true) {
    // The distance must exceed a share of the interval's width: half of it for two given rows, three quarters for
    // several. An interval on one side of 1 is not enough: the best of several equally fast backends would then often
    // beat another one. docs/explanation/methods.md has the simulated rates.
    guard let interval = ratio.interval else {
      self = .inconclusive
      return
    }
    let distance = Self.distance(interval, rivals: rivals)
    if isMeasurable, log(interval.low) > distance, ratio.ratio > 1 + Self.margin {
      self = .slower
    } else if isMeasurable, -log(interval.high) > distance, ratio.ratio < 1 / (1 + Self.margin) {
      self = .faster
    } else {
      let isWithin = interval.low >= 1 / (1 + Self.margin) && interval.high <= 1 + Self.margin
      self = isWithin ? .aboutEqual : .inconclusive
    }
  }
}

/// The outcome of ranking the rows of a table, such as backends, by time. Rows are identified by their positions in the
/// order of time; position 0 is the fastest.
public enum RankingOutcome: Sendable, Equatable {
  /// At most one row of the table is eligible to win.
  case noContest
  /// The rows of the table have too few rounds (repetitions) in common to be compared.
  case undecided
  /// The leaders are the fastest row and the rows that are not shown to be slower. `next` is the position of the first
  /// row behind the leaders, or nil.
  case decided(leaders: Range<Int>, next: Int?)

  /// Determines the leaders among rows that are sorted by time.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - verdict: Compares the row at a position with the first row; nil if there are too few rounds (repetitions).
  public init(among count: Int, verdict: (Int) -> RowVerdict?) {
    guard count >= 2 else {
      self = .noContest
      return
    }
    for position in 1..<count {
      switch verdict(position) {
      case nil:
        self = .undecided
        return
      case .slower:
        self = .decided(leaders: 0..<position, next: position)
        return
      // A faster row contradicts the order of the medians, so neither row can be called faster.
      case .faster, .aboutEqual, .inconclusive: continue
      }
    }
    self = .decided(leaders: 0..<count, next: nil)
  }
}
