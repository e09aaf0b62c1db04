/// The smallest difference between two rows of a table that a run would have detected.
public enum SmallestDifference {
  /// The share of runs that would have detected the difference: 0.8 is 80 %.
  public static let power = 0.8
  private static let draws = 1_000

  /// Returns the relative slowdown that ``RowVerdict`` would detect in four of five runs like this one. The slowdown is
  /// found by simulated comparisons. Their logarithmic ratios are normally distributed with the observed scatter.
  ///
  /// - Parameters:
  ///   - ratio: The observed ratio of two rows. The value of the ratio does not matter, only its scatter and its number
  ///     of pairs.
  ///   - rivals: The number of rivals, as for ``RowVerdict/init(_:rivals:isMeasurable:)``.
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
