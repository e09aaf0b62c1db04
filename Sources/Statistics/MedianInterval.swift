/// A confidence interval of the population median, read from the sorted sample.
///
/// The interval is binomial: no resampling and no assumption about the shape of the distribution. With 12 values it
/// reaches from the third to the tenth (coverage 96.1 %), with 20 from the sixth to the fifteenth (95.9 %).
public struct MedianInterval: Sendable, Equatable {
  /// The minimum number of values in a sample for an interval.
  public static let fewestValues = 6

  /// The lower end of the interval. In the confidence interval of a median, it is one of the sample's values.
  public var low: Double
  /// The upper end of the interval. In the confidence interval of a median, it is one of the sample's values.
  public var high: Double

  /// Reads the confidence interval of the median from a sample.
  ///
  /// - Parameter sorted: The sample, ascending.
  /// - Returns: Nil for fewer than ``fewestValues`` values.
  public init?(of sorted: [Double]) {
    guard let rank = Self.rank(count: sorted.count) else { return nil }
    low = sorted[rank - 1]
    high = sorted[sorted.count - rank]
  }

  /// Returns the rank k, from 1, of the value that is the lower end of the median's confidence interval, in a sorted
  /// sample. It is the largest k with BinomialCDF(k - 1; count, 1/2) <= 0.021, half of the error that the interval
  /// allows. The upper end has rank count + 1 - k.
  ///
  /// - Returns: Nil for fewer than ``fewestValues`` values.
  public static func rank(count: Int) -> Int? {
    guard count >= fewestValues else { return nil }
    var rank = 0
    // Logarithms are used because 2^-count is 0 in a Double from 1,075 values on.
    var logTerm = -Double(count) * log(2.0)
    var sum = exp(logTerm)
    while sum <= 0.021 {
      rank += 1
      logTerm += log(Double(count - rank + 1) / Double(rank))
      sum += exp(logTerm)
    }
    return rank > 0 ? rank : nil
  }
}

/// The factor by which one build or backend is slower than another, from pairs of times. The two times of a pair are
/// measured next to each other, under the same conditions.
public struct PairedRatio: Sendable, Equatable {
  /// The median of the ratios head / base (new / old); above 1 if the head (the new build) takes longer.
  public var ratio: Double
  /// The confidence interval of the median ratio. If ``unit`` is a run, it is the interval of a further run's ratio
  /// instead. Nil for too few pairs.
  public var interval: MedianInterval?
  /// The origin of the pairs: one pair per round (repetition) of a run, or one pair per run.
  public var unit = SampleUnit.round
  /// The standard deviation of the logarithms of the pairs' ratios; nil for one pair.
  public var spread: Double?
  /// The number of pairs.
  public var pairs: Int

  /// Computes the median ratio of pairs of positive values.
  ///
  /// - Returns: Nil if no pair has two positive values.
  public init?(pairs: [(base: Double, head: Double)], unit: SampleUnit = .round) {
    let ratios = pairs.filter { $0.base > 0 && $0.head > 0 }.map { $0.head / $0.base }.sorted()
    guard !ratios.isEmpty else { return nil }
    // With two values in the middle, the geometric mean is used, so that swapping the sides inverts the ratio.
    let (below, above) = (ratios[(ratios.count - 1) / 2], ratios[ratios.count / 2])
    ratio = below == above ? below : exp((log(below) + log(above)) / 2)
    interval = MedianInterval(of: ratios, unit: unit)
    (self.pairs, self.unit, spread) = (ratios.count, unit, Spread.ofLogarithms(ratios))
  }
}

extension MedianInterval {
  /// Creates an interval from its ends.
  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// Half of the interval's width as a share of its middle, on a logarithmic scale: 0.04 is ±4 %.
  ///
  /// - Returns: Nil if an end is not positive.
  public var relativeHalfWidth: Double? { low > 0 && high >= low ? exp(log(high / low) / 2) - 1 : nil }
}
