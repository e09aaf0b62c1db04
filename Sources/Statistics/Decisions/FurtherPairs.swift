/// The budget of additional pairs of measurements (old and new build), for benchmarks whose times scatter too much to
/// be judged.
///
/// Each benchmark has a first series of pairs, and a second series if it seems to have changed. If its times scatter,
/// one of the series gets three times as many pairs as planned. For a suspect (a benchmark that seems to have changed),
/// it is the second series, which must confirm the change. For any other benchmark, it is the first series. The budget
/// is the planned number of pairs in the first series of all benchmarks together. The whole comparison, with additional
/// pairs and second series, takes at most four times as long as the planned first series. If few benchmarks scatter,
/// the additional pairs take hardly any time.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs in a benchmark's series is multiplied if its times scatter.
  public static let lengthening = 3

  /// The number of additional pairs of measurements that are left in the comparison's budget.
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
  /// - Returns: 0 if the times do not scatter, if the series already shows a change (a suspect), or if the budget does
  ///   not suffice.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs in the second series, which must confirm a suspect (a benchmark that seems to have
  /// changed). If the times of the first series scatter and the budget suffices, the number is ``lengthening`` times
  /// that of the first series. Otherwise, both series have the same number.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - pairs: The number of pairs in the first series.
  ///   - isLengthened: Whether the first series got additional pairs. If so, the second series has the same number of
  ///     pairs as the first.
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
