/// A test of whether a machine was quiet enough to judge times, from probes: the durations of equal tasks at different
/// times.
///
/// The test uses median and median absolute deviation, because a few outliers should not count. A coefficient of
/// variation would occasionally reject a quiet machine.
public struct Fitness: Sendable, Equatable {
  /// The largest robust spread (1.4826 × MAD / median) of the probes (timed test tasks) on a fit machine, as a share. A
  /// fit machine is quiet enough to judge times.
  public static let largestSpread = 0.3
  /// The largest share of probes (timed test tasks) that may take more than twice the median time. With a larger share,
  /// the machine is too noisy to judge times.
  public static let largestOutlierShare = 0.25
  /// The largest share of processor time that the hypervisor may give to other machines. With a larger share, the
  /// machine is too noisy to judge times.
  public static let largestSteal = 0.1
  /// The minimum number of probes (timed test tasks) to judge whether a machine is quiet enough.
  public static let fewestProbes = 3

  /// The reason why the machine is unfit for measuring, as a series of probes (timed test tasks) shows.
  public enum Defect: Sendable, Equatable {
    /// The machine's speed was measured too few times; the value is the number of times.
    case tooFew(Int)
    /// The robust spread of the probes is too large; the value is the spread as a share.
    case spread(Double)
    /// Too many probes exceed twice the median; the value is their share.
    case outliers(Double)
  }

  /// Returns the reason why a machine is unfit for measuring, from the durations of one kind of probe (a timed test
  /// task).
  ///
  /// - Returns: Nil if the machine was quiet enough.
  public static func defect(of probes: [Double]) -> Defect? {
    guard probes.count >= fewestProbes, let middle = Quantile.median(of: probes.sorted()), middle > 0 else {
      return .tooFew(probes.count)
    }
    if let spread = Spread.relative(of: probes), spread > largestSpread { return .spread(spread) }
    let share = Double(probes.count { $0 > 2 * middle }) / Double(probes.count)
    return share > largestOutlierShare ? .outliers(share) : nil
  }

  /// Judges the share of processor time that the hypervisor gave to other machines (steal). Both times are in ticks,
  /// between two readings of the counters.
  ///
  /// - Returns: The share if it exceeds ``largestSteal``; nil if it does not, or if the counters did not change.
  public static func excessiveSteal(_ stolen: Double, of ticks: Double) -> Double? {
    guard ticks > 0, stolen / ticks > largestSteal else { return nil }
    return stolen / ticks
  }
}
