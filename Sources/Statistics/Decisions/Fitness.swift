/// A test of whether a machine was quiet enough to judge times. It uses the durations of probes, which are equal tasks
/// that run from time to time.
public struct Fitness: Sendable, Equatable {
  /// The largest relative spread of the durations of probes (equal test tasks) with which a machine is quiet enough to
  /// judge times: 0.3 is 30 %. The function ``Spread/relative(of:)`` computes the spread, and a few outliers do not
  /// affect it.
  public static let largestSpread = 0.3
  /// The largest share of outliers among the probes of a machine whose times can be judged: 0.25 is 25 %. A probe is
  /// one repetition of the same test task. An outlier is a probe that takes more than twice the median time.
  public static let largestOutlierShare = 0.25
  /// The largest share of processor time that the hypervisor may give to other machines (steal), if times are to be
  /// judged: 0.1 is 10 %.
  public static let largestSteal = 0.1
  /// The minimum number of probes (timed test tasks) from which a machine can be judged.
  public static let fewestProbes = 3

  /// The reason why a machine is too noisy to judge times.
  public enum Defect: Sendable, Equatable {
    /// There are too few probes (timed test tasks). The value is their number.
    case tooFew(Int)
    /// The durations of probes (equal test tasks during a run) scatter too much. The value is their relative spread:
    /// 0.4 is 40 %.
    case spread(Double)
    /// Too many probes take more than twice their median time. Probes are repetitions of the same test task during a
    /// run. The value is the share of such slow probes: 0.3 is 30 %.
    case outliers(Double)
  }

  /// Returns the reason why a machine is too noisy to judge times; nil if it is quiet enough. `probes` contains the
  /// durations of equal test tasks.
  public static func defect(of probes: [Double]) -> Defect? {
    guard probes.count >= fewestProbes, let middle = Quantile.median(of: probes.sorted()), middle > 0 else {
      return .tooFew(probes.count)
    }
    if let spread = Spread.relative(of: probes), spread > largestSpread { return .spread(spread) }
    let share = Double(probes.count { $0 > 2 * middle }) / Double(probes.count)
    return share > largestOutlierShare ? .outliers(share) : nil
  }

  /// Returns the share of processor time that the hypervisor gave to other machines (steal), if it exceeds
  /// ``largestSteal``. Nil for a smaller share, and if `ticks` is 0.
  ///
  /// - Parameters:
  ///   - stolen: The time given to other machines between two readings, in ticks.
  ///   - ticks: The whole processor time between the two readings, in ticks.
  public static func excessiveSteal(_ stolen: Double, of ticks: Double) -> Double? {
    guard ticks > 0, stolen / ticks > largestSteal else { return nil }
    return stolen / ticks
  }
}
