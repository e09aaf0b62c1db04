/// The smallest difference between the times of two rows of a table, such as two backends, that a run would have
/// detected.
public enum SmallestDifference {
  /// The power of the comparison: the share of equal runs that detect the smallest detectable difference. 0.8 is 80 %.
  public static let power = 0.8
  private static let draws = 1_000

  /// Returns the relative slowdown that ``RowVerdict`` would detect in four of five runs like this one. The slowdown is
  /// found by simulated comparisons of two rows. The logarithms of the simulated ratios are normally distributed with
  /// the observed scatter.
  ///
  /// - Parameters:
  ///   - ratio: The observed ratio of the times of two rows. Only its scatter and its number of pairs matter, and not
  ///     its value.
  ///   - rivals: The number of rows of which the base is the fastest, as for
  ///     ``RowVerdict/init(_:rivals:isMeasurable:)``. 2 for two rows that were not chosen by their times.
  /// - Returns: 0.3 for 30 %; nil if the ratio has no interval.
  public static func share(_ ratio: PairedRatio, rivals: Int = 2) -> Double? {
    guard ratio.interval != nil, let spread = ratio.spread else { return nil }
    var numbers = NormalNumbers(state: 1)
    let needed = (0..<draws).compactMap { _ -> Double? in
      let pairs = (0..<ratio.pairs).map { _ in (base: 1.0, head: exp(spread * numbers.next())) }
      guard let drawn = PairedRatio(pairs: pairs, unit: ratio.unit), let interval = drawn.interval else { return nil }
      // A true difference shifts the whole interval.
      return max(
        RowVerdict.distance(interval, rivals: rivals) - log(interval.low), log(1 + RowVerdict.margin) - log(drawn.ratio)
      )
    }.sorted()
    return Quantile.value(power, of: needed).map { exp($0) - 1 }
  }
}
