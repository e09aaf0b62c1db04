/// A budget of additional pairs of measurements, for benchmarks whose times scatter. A pair has one time of each build.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs of measurements grows for a benchmark whose times scatter too much.
  public static let lengthening = 3

  /// The number of additional pairs of measurements that are left in the budget.
  public private(set) var left: Int

  /// Creates a budget of additional pairs of measurements.
  ///
  /// - Parameter pairs: The number of pairs in the first series of all benchmarks together. The budget has the same
  ///   size.
  public init(firstStage pairs: Int) { left = pairs }

  /// Returns the number of additional pairs of measurements for a benchmark, and subtracts this number from the budget.
  ///
  /// - Parameter first: The result of the benchmark's first series, which has `pairs` pairs of measurements.
  /// - Returns: 0 if the benchmark needs no additional pairs, or if the budget is too small.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs for a second series of measurements. The series is longer if the times scatter.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - pairs: The number of pairs in the first series, and the minimum for the second series.
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
