/// The verdict on the times of two rows of a table, such as two backends.
public enum RowVerdict: Sendable, Equatable {
  /// The verdict that one row of a table is slower or faster than the row it is compared with, by more than 5 %.
  case slower, faster
  /// The verdict that two rows of a table are about equally fast: the confidence interval of their time ratio is within
  /// ±5 %.
  case aboutEqual
  /// The measurements do not show whether the two rows of the table differ or are equally fast.
  case inconclusive

  /// Whether the verdict is a difference: ``slower`` or ``faster``.
  public var isDifference: Bool { self == .slower || self == .faster }

  /// The relative difference between two times that is too small to matter: 0.05 is 5 %.
  public static let margin = 0.05

  /// Returns the minimum distance of a time ratio's interval from 1, as a logarithm, for a clear difference. For more
  /// than two `rivals`, the distance is larger.
  static func distance(_ interval: MedianInterval, rivals: Int) -> Double {
    (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
  }

  /// Judges whether the row `head` of a table, such as a backend, is faster or slower than the row `base`.
  ///
  /// - Parameters:
  ///   - ratio: The ratio of the times, head / base.
  ///   - rivals: The number of rows from which `base` was selected as the fastest; 2 if `base` was not selected by its
  ///     time.
  ///   - isMeasurable: Whether the difference exceeds the error of the timer.
  public init(_ ratio: PairedRatio, rivals: Int = 2, isMeasurable: Bool = true) {
    // The best of several equally fast backends often seems faster by chance, so an interval on one side of 1 is not
    // enough; see docs/explanation/methods.md.
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
  /// The positions of the leading rows. `next` is the position of the first clearly slower row, or nil if no row is
  /// clearly slower.
  case decided(leaders: Range<Int>, next: Int?)

  /// Finds the leaders: the fastest row, and all rows before the first row that is clearly slower than the fastest.
  ///
  /// - Parameter verdict: Compares the row at a position with the fastest row. Returns nil for too few rounds.
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
