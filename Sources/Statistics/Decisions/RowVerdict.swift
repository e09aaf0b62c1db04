/// The verdict on the times of two rows of a table, such as two backends.
public enum RowVerdict: Sendable, Equatable {
  /// The time in the judged row of a table, such as the row of a backend, is longer (slower) or shorter (faster) than
  /// the time in the other row. The difference exceeds the margin of 5 %.
  case slower, faster
  /// Two compared rows of a table, such as two backends, are about equally fast: the whole confidence interval of the
  /// ratio of their times is within a margin of 5 %.
  case aboutEqual
  /// The measurements do not show whether two compared rows of a table, such as two backends, differ or are equally
  /// fast.
  case inconclusive

  /// Whether the verdict is a difference (``slower`` or ``faster``) between two rows in a table of results. A row has,
  /// for example, the times of one backend.
  public var isDifference: Bool { self == .slower || self == .faster }

  /// The difference that is too small to matter between two compared times, such as the times of two backends: 0.05 is
  /// 5 %.
  public static let margin = 0.05

  /// Returns the minimum distance from 1 (equally fast) at which a confidence interval shows a difference. The interval
  /// is that of the ratio of two backends' times. The distance is that of the nearer end, on a logarithmic scale.
  ///
  /// The minimum is half of the interval's width. It is three quarters if a backend was selected as the fastest of more
  /// than two (`rivals`), because the selected one seems faster by chance.
  static func distance(_ interval: MedianInterval, rivals: Int) -> Double {
    (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
  }

  /// Judges whether the row `head` of a table, such as a backend, is faster or slower than the row `base`.
  ///
  /// - Parameters:
  ///   - ratio: The ratio of the times, head / base.
  ///   - rivals: The number of rows from which `base` was selected as the fastest. The default, 2, also stands for two
  ///     rows that were compared without a selection. More than two rows require a larger difference, because the
  ///     fastest of many rows seems faster by chance.
  ///   - isMeasurable: Whether the difference exceeds the error of the timer.
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

/// The outcome of ranking the rows of a table, such as backends, by their times. Position 0 is the fastest row.
public enum RankingOutcome: Sendable, Equatable {
  /// There is no contest, because at most one row can be ranked.
  case noContest
  /// The ranking is undecided, because the rows have too few rounds (repetitions) in common.
  case undecided
  /// The positions of the leaders: the fastest row of a table, and all further rows before the first row that is
  /// clearly slower. `next` is the position of this slower row; nil if there is none.
  case decided(leaders: Range<Int>, next: Int?)

  /// Determines the leaders of a ranking of rows, such as backends, by time. The leaders are the first row, and all
  /// further rows before the first one that is clearly slower.
  ///
  /// - Parameter verdict: Compares the row at a position with the first row; nil for too few rounds (repetitions).
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
