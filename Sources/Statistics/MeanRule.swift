/// The rule by which a report shows a mean latency instead of the median, or beside it.
///
/// A median does not change if one operation in a hundred takes fifty times as long, but the mean does. The total time
/// of an app that saves all day depends on the mean.
public enum MeanRule {
  /// The factor by which a mean latency must exceed the median for a report to show the mean.
  public static let factor = 1.1
  /// The minimum number of operations, or of batches of operations, for a report to show a mean latency.
  public static let fewestSamples = 100
  /// The minimum share of the measuring processes in which the mean latency must exceed the median by ``factor``. One
  /// disturbed process is then not enough for a report to show the mean.
  public static let processes = 0.75
  /// The minimum number of measuring processes for a report to show a mean latency, since a single process may be
  /// disturbed.
  public static let fewestProcesses = 2

  /// Returns whether a mean latency exceeds the median by enough to be shown in a report.
  ///
  /// - Parameters:
  ///   - mean: The mean latency of all operations.
  ///   - median: The median of the measuring processes' median latencies.
  ///   - processes: The mean and the median latency of each measuring process.
  ///   - samples: The number of operations, or of batches, timed in all processes together.
  public static func differs(
    mean: Double, median: Double, processes: [(mean: Double, median: Double)], samples: Int
  ) -> Bool {
    func isLarge(_ mean: Double, _ median: Double) -> Bool { median > 0 && mean > factor * median }
    guard samples >= fewestSamples, processes.count >= fewestProcesses, isLarge(mean, median) else { return false }
    let count = processes.count { isLarge($0.mean, $0.median) }
    return Double(count) >= Self.processes * Double(processes.count)
  }
}

/// The slowest operations, which make a mean latency exceed the median, as two shares. A report writes them as
/// `the slowest 2 % take 31 % of the time`.
public struct SlowestShare: Sendable, Equatable {
  /// The number of the slowest operations as a share of all operations: one of ``steps``.
  public let operations: Double
  /// The time of the slowest operations as a share of the time of all operations.
  public let time: Double

  /// The shares of slowest operations to try, from small to large.
  public static let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  /// The minimum share of the difference between mean and median latency that the slowest operations must explain.
  public static let leastOfExcess = 0.75

  /// Finds the smallest share of slowest operations that explains at least ``leastOfExcess`` of the excess time. The
  /// excess is the time of all operations minus the time if each took the median.
  ///
  /// - Returns: Nil if the histogram is empty, or if its mean is not above its median.
  public init?(_ histogram: SparseHistogram) {
    guard let median = histogram.percentile(0.5).map({ Double($0) }), histogram.total > 0 else { return nil }
    let count = Double(histogram.total)
    let sum = histogram.sum(ofLargest: count)
    let excess = sum - count * median
    guard excess > 0 else { return nil }
    for step in Self.steps {
      let slow = histogram.sum(ofLargest: step * count)
      guard slow - step * count * median >= Self.leastOfExcess * excess else { continue }
      (operations, time) = (step, slow / sum)
      return
    }
    return nil
  }
}
