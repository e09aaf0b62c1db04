/// The rule that decides whether a report shows the mean latency besides the median. A few very slow operations make
/// the mean larger.
public enum MeanRule {
  /// The ratio of mean to median latency above which a report also shows the mean: 1.1 is 10 % more than the median.
  public static let factor = 1.1
  /// The minimum number of timed operations or batches for showing a mean latency in a report.
  public static let fewestSamples = 100
  /// The minimum share of measuring processes whose mean latency exceeds ``factor`` × their median: 0.75 is 75 %. With
  /// fewer such processes, a report does not show the mean.
  public static let processes = 0.75
  /// The minimum number of measuring processes for showing the mean. A single process may be disturbed.
  public static let fewestProcesses = 2

  /// Returns whether a mean latency exceeds the median so much that a report shows the mean.
  ///
  /// - Parameters:
  ///   - median: The median of the measuring processes' median latencies.
  ///   - samples: The number of timed operations or batches in all processes together.
  public static func differs(
    mean: Double, median: Double, processes: [(mean: Double, median: Double)], samples: Int
  ) -> Bool {
    func isLarge(_ mean: Double, _ median: Double) -> Bool { median > 0 && mean > factor * median }
    guard samples >= fewestSamples, processes.count >= fewestProcesses, isLarge(mean, median) else { return false }
    let count = processes.count { isLarge($0.mean, $0.median) }
    return Double(count) >= Self.processes * Double(processes.count)
  }
}

/// The share of the total time that the slowest operations take: `the slowest 2 % take 31 % of the time`.
public struct SlowestShare: Sendable, Equatable {
  /// The share of the slowest operations in the number of all operations: 0.02 for `the slowest 2 % take 31 % of the
  /// time`.
  public let operations: Double
  /// The share of the slowest operations in the total time: 0.31 for `the slowest 2 % take 31 % of the time`.
  public let time: Double

  /// The shares of operations that a report can name, such as 0.02 in `the slowest 2 % take 31 % of the time`.
  public static let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  /// The minimum share of the gap between mean and median that the slowest operations must explain: 0.75 is 75 %.
  public static let leastOfExcess = 0.75

  /// Finds the smallest group of slowest operations that explains most of the gap between the mean and the median.
  ///
  /// - Returns: Nil if there is no such group, for example in an empty histogram.
  public init?(_ histogram: SparseHistogram) {
    guard let median = histogram.percentile(0.5).map({ Double($0) }), histogram.total > 0 else { return nil }
    let count = Double(histogram.total)
    let sum = histogram.sum(ofLargest: count)
    let excess = sum - count * median
    let found = Self.steps.first {
      histogram.sum(ofLargest: $0 * count) - $0 * count * median >= Self.leastOfExcess * excess
    }
    guard excess > 0, let found else { return nil }
    (operations, time) = (found, histogram.sum(ofLargest: found * count) / sum)
  }
}
