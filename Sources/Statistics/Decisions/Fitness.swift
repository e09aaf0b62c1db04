/// A test of whether a machine was quiet enough to judge times, from probes: the durations of equal tasks at different
/// times.
///
/// The test uses median and median absolute deviation, because a few outliers should not count. A coefficient of
/// variation would occasionally reject a quiet machine.
public struct Fitness: Sendable, Equatable {
  /// The largest robust spread (1.4826 × MAD / median) of a fit machine, as a share.
  public static let largestSpread = 0.3
  /// The largest share of probes that may take more than twice the median time on a fit machine.
  public static let largestOutlierShare = 0.25
  /// The largest share of processor time that the hypervisor of a fit machine may give to other machines.
  public static let largestSteal = 0.1
  /// The minimum number of probes to judge a machine.
  public static let fewestProbes = 3

  /// The reason why the machine is unfit for measuring, as a series of probes (short timed loops) shows.
  public enum Defect: Sendable, Equatable {
    /// The machine's speed was measured too few times; the value is the number of times.
    case tooFew(Int)
    /// The robust spread of the probes is too large; the value is the spread as a share.
    case spread(Double)
    /// Too many probes exceed twice the median; the value is their share.
    case outliers(Double)
  }

  /// Returns the reason why the durations of one kind of probe show an unfit machine.
  ///
  /// - Returns: Nil if the machine was fit.
  public static func defect(of probes: [Double]) -> Defect? {
    guard probes.count >= fewestProbes, let middle = Quantile.median(of: probes.sorted()), middle > 0 else {
      return .tooFew(probes.count)
    }
    if let spread = Spread.relative(of: probes), spread > largestSpread { return .spread(spread) }
    let share = Double(probes.count { $0 > 2 * middle }) / Double(probes.count)
    return share > largestOutlierShare ? .outliers(share) : nil
  }

  /// Judges the share of processor time that the hypervisor gave to other machines between two readings of its
  /// counters, in ticks.
  ///
  /// - Returns: The share if it is too large; nil if the machine was fit or the counters did not change.
  public static func excessiveSteal(_ stolen: Double, of ticks: Double) -> Double? {
    guard ticks > 0, stolen / ticks > largestSteal else { return nil }
    return stolen / ticks
  }
}
