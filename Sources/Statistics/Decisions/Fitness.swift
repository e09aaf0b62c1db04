/// A test of whether a machine was quiet enough to judge times. It uses probes of constant work.
///
/// Median and median deviation are used because a few outliers should not count. A coefficient of variation would
/// occasionally reject a quiet machine.
public struct Fitness: Sendable, Equatable {
  /// The largest robust spread (1.4826 × MAD / median) of a fit machine, as a share.
  public static let largestSpread = 0.3
  /// The largest share of probes that may exceed twice the median.
  public static let largestOutlierShare = 0.25
  /// The largest share of processor time that the hypervisor may have given to other machines.
  public static let largestSteal = 0.1
  /// The minimum number of probes.
  public static let fewestProbes = 3

  /// The reason that a series of probes, in any unit, shows an unfit machine.
  public enum Defect: Sendable, Equatable {
    /// Too few probes, with their number.
    case tooFew(Int)
    /// The robust spread, as a share.
    case spread(Double)
    /// The share of probes beyond twice the median.
    case outliers(Double)
  }

  /// Judges the durations of one kind of probe.
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
