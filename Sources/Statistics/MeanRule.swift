/// The rule for showing the mean latency in a report, instead of the median or in addition to it.
///
/// If one operation in a hundred takes fifty times as long, only the mean changes. The total time of an app that saves
/// often depends on the mean.
public enum MeanRule {
  /// The ratio of the mean latency to the median latency above which a report shows the mean: 1.1 means that the mean
  /// is 10 % above the median.
  public static let factor = 1.1
  /// The minimum number of timed operations, or batches of operations, for a report to show a mean latency.
  public static let fewestSamples = 100
  /// The minimum share of measuring processes with a high mean latency, for a report to show the mean: 0.75 is 75 %. A
  /// mean latency is high if it is more than ``factor`` times the median of the same process.
  public static let processes = 0.75
  /// The minimum number of measuring processes for a report to show a mean latency, because a single process may be
  /// disturbed.
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

/// The share of the total time that the slowest operations take: for example, `the slowest 2 % take 31 % of the time`.
public struct SlowestShare: Sendable, Equatable {
  /// The number of the slowest operations as a share of all operations. For `the slowest 2 % take 31 % of the time`,
  /// the value is 0.02.
  public let operations: Double
  /// The time of the slowest operations as a share of the time of all operations. For `the slowest 2 % take 31 % of the
  /// time`, the value is 0.31.
  public let time: Double

  /// The shares of operations that a report can name, such as 0.02 in `the slowest 2 % take 31 % of the time`. A report
  /// names the smallest share that explains most of the difference between the mean and the median latency.
  public static let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  /// The minimum share of the excess time that the slowest operations must cause, so that a report names these
  /// operations: 0.75 is 75 %. The excess time is the total time of all operations, minus the total if each operation
  /// took the median time.
  public static let leastOfExcess = 0.75

  /// Finds the share of slowest operations, such as 2 %, that causes most of the excess time. The excess time is the
  /// total time of all operations, minus the total if each operation took the median time.
  ///
  /// The result is the smallest share in ``steps`` that causes at least ``leastOfExcess`` of the excess time.
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
