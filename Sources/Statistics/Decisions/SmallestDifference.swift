/// The smallest difference that a run could have detected between the times of two rows of a table, such as two
/// backends.
public enum SmallestDifference {
  /// The probability with which a run must detect a slowdown: 0.8 is 80 %.
  public static let power = 0.8
  private static let draws = 1_000

  /// Returns the smallest slowdown that a run would detect with a probability of 80 %, by simulation: 0.3 is 30 %.
  ///
  /// - Parameters:
  ///   - ratio: The ratio of the times of two rows of a table. Only its scatter and its number of pairs are used.
  ///   - rivals: The number of rows from which one was selected as the fastest; 2 if no row was selected by its time.
  /// - Returns: Nil if the ratio has no interval.
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
