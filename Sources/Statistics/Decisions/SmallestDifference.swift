/// The smallest difference that a run would have detected between the times of two rows of a table, such as two
/// backends.
public enum SmallestDifference {
  /// The probability with which a benchmark run must detect a slowdown, so that the slowdown counts as detectable: 0.8
  /// is 80 %.
  public static let power = 0.8
  private static let draws = 1_000

  /// Returns the smallest slowdown that a benchmark run would detect with a probability of 80 %, if the times scatter
  /// as observed: 0.3 is a slowdown of 30 %. The result comes from a simulation.
  ///
  /// - Parameters:
  ///   - ratio: The observed ratio of the times of two rows of a table, such as two backends. Only its scatter and its
  ///     number of pairs matter.
  ///   - rivals: The number of rows that were compared to select the fastest one for this ratio; 2 if the two rows were
  ///     not chosen by their times. With more than two rows, only larger slowdowns are detected, because the fastest of
  ///     several equal rows seems faster by chance.
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
