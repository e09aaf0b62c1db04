/// The rule by which a mean replaces its median in an answer, or stands beside it.
///
/// A median does not change when one operation in a hundred takes fifty times as long; the mean does. An app that saves
/// all day pays the mean.
public enum MeanRule {
  /// The mean must be more than this many times the median.
  public static let factor = 1.1
  /// Of fewer operations, or of fewer batches of them, nothing is said.
  public static let fewestSamples = 100
  /// The share of the processes in which it must hold, so that one disturbed process is not enough.
  public static let processes = 0.75
  /// One process alone may be the disturbed one.
  public static let fewestProcesses = 2

  /// Whether a mean differs from its median by enough.
  ///
  /// - Parameters:
  ///   - mean: Of all operations.
  ///   - median: The median of the processes' medians.
  ///   - processes: The mean and the median of each process.
  ///   - samples: How many operations, or batches of them, were timed in all processes together.
  public static func differs(
    mean: Double, median: Double, processes: [(mean: Double, median: Double)], samples: Int
  ) -> Bool {
    func isLarge(_ mean: Double, _ median: Double) -> Bool { median > 0 && mean > factor * median }
    guard samples >= fewestSamples, processes.count >= fewestProcesses, isLarge(mean, median) else { return false }
    let count = processes.count { isLarge($0.mean, $0.median) }
    return Double(count) >= Self.processes * Double(processes.count)
  }
}

/// The slowest operations that make a mean larger than its median: `the slowest 2 % take 31 % of the time`.
public struct SlowestShare: Sendable, Equatable {
  /// Their share of all operations, one of ``steps``.
  public let operations: Double
  /// Their share of the time of all operations.
  public let time: Double

  /// The shares that are tried: round ones, as people say them.
  public static let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  /// How much of what the mean exceeds the median by the slowest must make up.
  public static let leastOfExcess = 0.75

  /// Finds the smallest of ``steps`` that makes up at least ``leastOfExcess`` of what all operations together take
  /// longer than if each took the median.
  ///
  /// - Returns: nil if the mean is not above the median.
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
