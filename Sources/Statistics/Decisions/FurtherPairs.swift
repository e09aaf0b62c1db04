/// A budget of additional pairs of measurements, for benchmarks whose times scatter too much to be judged. A pair is
/// one measurement of the old build and one of the new build.
///
/// Every benchmark is measured in a first series of pairs, and a second series must confirm a change. If the times
/// scatter, one of the two series gets ``lengthening`` times as many pairs as planned.
///
/// The budget has as many pairs as are planned for all first series. For 100 planned pairs, first series thus have at
/// most 200 pairs. With second series of the same length, the comparison has at most 400.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs of measurements grows for a benchmark whose times scatter too much.
  public static let lengthening = 3

  /// The number of additional pairs of measurements that are left in the budget.
  public private(set) var left: Int

  /// Creates a budget of additional pairs of measurements, for benchmarks whose times scatter too much to be judged.
  ///
  /// - Parameter pairs: The number of pairs that are planned for the first series of all benchmarks. The budget is as
  ///   large.
  public init(firstStage pairs: Int) { left = pairs }

  /// Returns the number of additional pairs for a benchmark whose times scatter too much to be judged. The number is
  /// subtracted from the budget.
  ///
  /// - Parameter first: The result of the benchmark's measurements so far, which are `pairs` pairs.
  /// - Returns: 0 if no additional pairs are needed, or if the budget does not suffice. Also 0 after a change, which a
  ///   second series must confirm first.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs in the second series of a benchmark, which must confirm a change. The second series
  /// has as many pairs as the first. If the times scatter too much and the budget suffices, additional pairs are taken
  /// from the budget.
  ///
  /// - Parameters:
  ///   - first: The result of the first series, which has `pairs` pairs.
  ///   - isLengthened: Whether the first series already got additional pairs. The second series then gets none.
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
