/// The verdict on the times of two rows of a table, such as two backends, from the rounds of one run.
///
/// Only *slower* and *faster* name a winner. *About equal* means that equality was shown, *inconclusive* that equality
/// was not shown.
public enum RowVerdict: Sendable, Equatable {
  /// One row is slower or faster: the rounds agree, and the difference exceeds the margin.
  case slower, faster
  /// The two rows are equally fast: the whole interval of their ratio lies within the margin.
  case aboutEqual
  /// The rounds (repetitions) show neither a difference nor equality.
  case inconclusive

  /// Whether one of the two rows was shown to be faster.
  public var isDifference: Bool { self == .slower || self == .faster }

  /// The share below which a difference of two rows is irrelevant: 0.05 is 5 %.
  public static let margin = 0.05

  /// Returns the distance, on a logarithmic scale, that the interval of a ratio must have from 1 for a verdict.
  static func distance(_ interval: MedianInterval, rivals: Int) -> Double {
    (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
  }

  /// Judges two rows by the ratio of their times, head / base. The interval of the ratio must be far enough from 1. The
  /// distance is greater if the base is the fastest of several rows, because the choice makes the base look better.
  ///
  /// - Parameters:
  ///   - ratio: The ratio head / base, with its interval.
  ///   - rivals: The number of rows of which the base is the fastest; 2 for a pair that was not chosen by its times.
  ///   - isMeasurable: Whether the difference is larger than the timer alone can cause.
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

/// The leaders among the rows of a table (such as backends) that are sorted by time, the fastest first. Rows are named
/// by their positions.
public enum RankingOutcome: Sendable, Equatable {
  /// At most one row of the table is eligible to win.
  case noContest
  /// The rows of the table have too few rounds (repetitions) in common to be compared.
  case undecided
  /// The leaders are the fastest row and the rows that are not shown to be slower. The next row is the first behind the
  /// leaders, or nil.
  case decided(leaders: Range<Int>, next: Int?)

  /// Determines the leaders among rows that are sorted by time.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - verdict: The verdict on the row at a position against the first one; nil if there are too few rounds.
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
