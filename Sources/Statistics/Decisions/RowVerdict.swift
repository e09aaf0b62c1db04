/// What the rounds of one run say of two of its rows.
///
/// Only *slower* and *faster* name a winner. Of the rest, *about equal* was shown, *inconclusive* was not.
public enum RowVerdict: Sendable, Equatable {
  /// The rounds agree, and the difference is worth speaking of.
  case slower, faster
  /// The whole interval lies within the margin.
  case aboutEqual
  /// Anything else.
  case inconclusive

  /// Whether one of the two was shown to be faster.
  public var isDifference: Bool { self == .slower || self == .faster }

  /// The share below which a difference is not worth speaking of.
  public static let margin = 0.05

  /// The least distance of an interval from 1, on a logarithmic scale.
  static func distance(_ interval: MedianInterval, rivals: Int) -> Double {
    (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
  }

  /// Decides what a ratio with its interval says of the head.
  ///
  /// One is called slower only where the interval of the ratio lies away from 1 by a share of its own width: by half
  /// of it for two given rows, by three quarters where the base is the fastest of several, since being picked makes
  /// it look better than it is. An interval on one side of 1 would not do: the best of several backends of equal speed
  /// then often beats another one. docs/methods.md has the simulated rates.
  ///
  /// - Parameters:
  ///   - ratio: Head by base, with its interval.
  ///   - rivals: How many the base is the fastest of; 2 for a pair that was not chosen by its times.
  ///   - isMeasurable: Whether the difference is larger than what the timer itself can make.
  public init(_ ratio: PairedRatio, rivals: Int = 2, isMeasurable: Bool = true) {
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

/// Who leads among rows in the order of their times, the fastest first: positions in that order.
public enum RankingOutcome: Sendable, Equatable {
  /// No row may win, or only one.
  case noContest
  /// Rows have too few rounds in common to tell.
  case undecided
  /// The first rows are the fastest and those that cannot be called slower; then the next one behind them, nil if
  /// there is none.
  case decided(leaders: Range<Int>, next: Int?)

  /// Decides.
  ///
  /// - Parameters:
  ///   - count: How many rows there are.
  ///   - verdict: What is said of the row at a position against the first one; nil where rounds are too few to tell.
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
      // Faster contradicts the order of the medians: nobody can be called the faster one.
      case .faster, .aboutEqual, .inconclusive: continue
      }
    }
    self = .decided(leaders: 0..<count, next: nil)
  }
}
