/// A confidence interval, usually of a median. For a median, the ends are two values of the sample: the third and the
/// tenth of 12 sorted values.
public struct MedianInterval: Sendable, Equatable {
  /// The minimum number of values in a sample for a confidence interval of the median.
  public static let fewestValues = 6

  /// The lower end of the interval, in the unit of the values.
  public var low: Double
  /// The upper end of the interval, in the unit of the values.
  public var high: Double

  /// Creates the confidence interval of the median from a sample.
  ///
  /// - Parameter sorted: The sample, ascending.
  /// - Returns: Nil for fewer than ``fewestValues`` values.
  public init?(of sorted: [Double]) {
    guard let (rank, _) = Self.tail(count: sorted.count) else { return nil }
    low = sorted[rank - 1]
    high = sorted[sorted.count - rank]
  }

  /// Returns the position (rank), from 1, of the interval's lower end in a sorted sample of `count` values, and the
  /// probability that the median is below the interval: BinomialCDF(rank - 1; count, 1/2).
  ///
  /// The rank is the largest k with BinomialCDF(k - 1; count, 1/2) <= 0.021, for a confidence of at least 95.8 %.
  ///
  /// - Returns: Nil for fewer than ``fewestValues`` values.
  static func tail(count: Int) -> (rank: Int, probability: Double)? {
    guard count >= fewestValues else { return nil }
    var (rank, probability) = (0, 0.0)
    // Logarithms are used because 2^-count is 0 in a Double from 1,075 values on.
    var logTerm = -Double(count) * log(2.0)
    var sum = exp(logTerm)
    while sum <= 0.021 {
      rank += 1
      probability = sum
      logTerm += log(Double(count - rank + 1) / Double(rank))
      sum += exp(logTerm)
    }
    return rank > 0 ? (rank, probability) : nil
  }
}

/// The ratio of the times of two builds or backends, from pairs of times that were measured under the same conditions.
public struct PairedRatio: Sendable, Equatable {
  /// The median of the ratios head / base. The ratio is above 1 if the new build (head) takes longer than the old one
  /// (base).
  public var ratio: Double
  /// The confidence interval of ``ratio``, or the prediction interval of a further run (see ``unit``). Nil for too few
  /// pairs.
  public var interval: MedianInterval?
  /// The unit from which each pair of times (base and head) comes: a round (repetition) of one run, or a separate run.
  public var unit = SampleUnit.round
  /// The standard deviation of the logarithms of the ratios head / base. Nil for one pair.
  public var spread: Double?
  /// The number of pairs of times from which the ratio was computed.
  public var pairs: Int

  /// Computes the median of the ratios head / base. Pairs with a value that is not positive are ignored.
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

  /// Half of the interval's width on a logarithmic scale: 0.04 is ±4 %. Nil if the lower end is not positive.
  public var relativeHalfWidth: Double? { low > 0 && high >= low ? exp(log(high / low) / 2) - 1 : nil }
}
