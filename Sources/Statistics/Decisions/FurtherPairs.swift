/// A budget of additional pairs of measurements, for benchmarks whose times scatter too much to be judged. A pair is
/// one measurement of the old build and one of the new build.
///
/// Every benchmark is measured in a first series of pairs. If the benchmark seems to have changed, a second series must
/// confirm the change. For a benchmark with scattered times, one of the two series gets more pairs, ``lengthening``
/// times as many as planned, and the budget becomes smaller by the additional pairs.
///
/// The budget has as many pairs as all first series together, for example 100. If first series use the whole budget,
/// they have 200 pairs together. Second series of the same length may follow, so the whole comparison has at most 400
/// pairs: four times as many as planned for the first series.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs of measurements grows for a benchmark whose times scatter too much.
  public static let lengthening = 3

  /// The number of additional pairs of measurements that are left in the budget.
  public private(set) var left: Int

  /// Creates a budget of additional pairs of measurements, for benchmarks whose times scatter too much to be judged.
  ///
  /// - Parameter pairs: The number of pairs that are planned in the first stage, which measures all benchmarks. The
  ///   budget has the same number of additional pairs.
  public init(firstStage pairs: Int) { left = pairs }

  /// Returns the number of additional pairs of measurements that a benchmark gets because its times scatter too much to
  /// be judged. The number is subtracted from the budget.
  ///
  /// - Parameter first: The result of the benchmark's measurements so far, which are `pairs` pairs.
  /// - Returns: 0 if no additional pairs are needed, or if the budget does not suffice. Also 0 if the benchmark already
  ///   seems to have changed, because a second series of measurements then checks the change.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs of measurements in the second series of a benchmark, which must confirm a change. The
  /// second series has as many pairs as the first. If the times scatter too much and the budget (``left``) suffices,
  /// the second series gets additional pairs. The budget then becomes smaller by their number.
  ///
  /// - Parameters:
  ///   - first: The result of the first series, which has `pairs` pairs of measurements.
  ///   - isLengthened: Whether the first series already got additional pairs from the budget. The second series then
  ///     gets none, and has as many pairs as the first.
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
