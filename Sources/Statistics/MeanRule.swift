/// The rule for showing the mean latency in a report, because a few very slow operations change the mean only.
public enum MeanRule {
  /// The factor by which the mean latency must exceed the median to be shown: 1.1 is 10 % above.
  public static let factor = 1.1
  /// The minimum number of timed operations or batches for showing a mean latency in a report.
  public static let fewestSamples = 100
  /// The minimum share of processes whose mean latency exceeds their median by ``factor``: 0.75 is 75 %.
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
  /// The number of the slowest operations as a share of all: 0.02 for `the slowest 2 % take 31 % of the time`.
  public let operations: Double
  /// The time of the slowest operations as a share of the total: 0.31 for `the slowest 2 % take 31 % of the time`.
  public let time: Double

  /// The shares of operations that a report can name, such as 0.02 in `the slowest 2 % take 31 % of the time`.
  public static let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  /// The minimum share that the slowest operations have in the difference between mean and median: 0.75 is 75 %.
  public static let leastOfExcess = 0.75

  /// Finds the smallest share of slowest operations that explains most of the difference between mean and median.
  ///
  /// - Returns: Nil if the histogram is empty, if its mean is not above its median, or if no share is large enough.
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
