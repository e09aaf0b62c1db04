/// The budget of additional pairs of measurements (old and new build), for benchmarks whose times scatter too much to
/// be judged.
///
/// A benchmark whose times scatter gets three times as many pairs. If the benchmark seems to have changed (a suspect),
/// the additional pairs are in the second series, which must confirm the change. The budget is the number of pairs in
/// the first series of all benchmarks together. A comparison takes at most four times as long as the first series
/// alone. If few benchmarks scatter, the additional pairs take hardly any time.
public struct FurtherPairs: Sendable {
  /// The factor by which a benchmark's number of pairs is multiplied if its times scatter.
  public static let lengthening = 3

  /// The number of pairs left in the budget.
  public private(set) var left: Int

  /// Creates the budget of a comparison.
  ///
  /// - Parameter pairs: The number of pairs of all benchmarks in the first series of pairs, which is the whole budget.
  public init(firstStage pairs: Int) { left = pairs }

  /// Takes the additional pairs for a benchmark's first series from the budget, and returns their number.
  ///
  /// - Parameters:
  ///   - first: The result of the series so far.
  ///   - pairs: The number of pairs in the series.
  /// - Returns: 0 if the times do not scatter, if the benchmark seems to have changed anyway, or if the budget is used
  ///   up.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs in the second series, which confirms a suspect (a benchmark that seems to have
  /// changed). The number is the same as in the first series. It is larger if the times of the first series scatter and
  /// the budget suffices.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - pairs: The number of pairs in the first series.
  ///   - isLengthened: Whether the first series got additional pairs. The second series then gets no more than the
  ///     first.
  public mutating func confirming(_ first: PairedStage, of pairs: Int, isLengthened: Bool) -> Int {
    first.scatters && !isLengthened ? pairs + take(pairs) : pairs
  }

  private mutating func take(_ pairs: Int) -> Int {
    let further = pairs * (Self.lengthening - 1)
    guard further <= left else { return 0 }
    left -= further
    return further
  }
}
