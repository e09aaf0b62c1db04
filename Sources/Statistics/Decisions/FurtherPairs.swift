/// A budget of additional pairs of measurements, for benchmarks whose times scatter. A pair has one time of each build.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs grows for a benchmark whose times scatter too much.
  public static let lengthening = 3

  /// The number of additional pairs of measurements that are left in the budget.
  public private(set) var left: Int

  /// Creates a budget of additional pairs of measurements.
  ///
  /// - Parameter pairs: The size of the budget: the planned pairs in the first series of all benchmarks.
  public init(firstStage pairs: Int) { left = pairs }

  /// Returns the number of additional pairs for a benchmark, and subtracts the number from the budget.
  ///
  /// - Parameter first: The result of the benchmark's measurements so far, which are `pairs` pairs.
  /// - Returns: 0 if the times do not scatter, if the budget is too small, or if a change must be confirmed first.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs in the series that confirms a change. If the times scatter, more pairs are added.
  ///
  /// - Parameters:
  ///   - first: The result of the first series, which has `pairs` pairs.
  ///   - isLengthened: Whether the first series already got additional pairs; the second series then gets none.
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
