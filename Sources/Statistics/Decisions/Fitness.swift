/// Whether a machine was quiet enough for times to be judged: told by probes that always do the same.
///
/// Median and median deviation, since a few wild values are no reason to give up: a coefficient of variation would call
/// a quiet machine unfit now and then.
public struct Fitness: Sendable, Equatable {
  /// The largest robust spread (1.4826 x MAD / median) of a fit machine, as a share.
  public static let largestSpread = 0.3
  /// The largest share of probes that may exceed twice the median.
  public static let largestOutlierShare = 0.25
  /// The largest share of processor time that the hypervisor may have given to others.
  public static let largestSteal = 0.1
  /// Fewer probes than this say nothing.
  public static let fewestProbes = 3

  /// Why a series of probes, in any unit, shows an unfit machine.
  public enum Defect: Sendable, Equatable {
    /// There are too few probes; how many there are.
    case tooFew(Int)
    /// The robust spread, as a share.
    case spread(Double)
    /// The share of probes beyond twice the median.
    case outliers(Double)
  }

  /// Looks at the durations of one kind of probe.
  ///
  /// - Returns: nil if the machine was fit.
  public static func defect(of probes: [Double]) -> Defect? {
    guard probes.count >= fewestProbes, let middle = Quantile.median(of: probes.sorted()), middle > 0 else {
      return .tooFew(probes.count)
    }
    if let spread = Spread.relative(of: probes), spread > largestSpread { return .spread(spread) }
    let share = Double(probes.count { $0 > 2 * middle }) / Double(probes.count)
    return share > largestOutlierShare ? .outliers(share) : nil
  }

  /// Decides on the share of processor time that the hypervisor gave to others between two readings of its counters,
  /// in ticks.
  ///
  /// - Returns: The share if it is too large, nil if the machine was fit or the counters stood still.
  public static func excessiveSteal(_ stolen: Double, of ticks: Double) -> Double? {
    guard ticks > 0, stolen / ticks > largestSteal else { return nil }
    return stolen / ticks
  }
}
