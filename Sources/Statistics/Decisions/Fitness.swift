/// A test of whether a machine was quiet enough to judge times, by the durations of equal test tasks.
public struct Fitness: Sendable, Equatable {
  /// The largest accepted relative spread of the durations of equal test tasks: 0.3 is 30 %.
  public static let largestSpread = 0.3
  /// The largest accepted share of test tasks that take more than twice the median time: 0.25 is 25 %.
  public static let largestOutlierShare = 0.25
  /// The largest accepted share of processor time that the hypervisor gives to other machines (steal): 0.1 is 10 %.
  public static let largestSteal = 0.1
  /// The minimum number of timed test tasks for judging whether a machine is quiet.
  public static let fewestProbes = 3

  /// The reason why a machine is too noisy to judge times.
  public enum Defect: Sendable, Equatable {
    /// A reason to reject the machine: there are too few timings of a fixed test task. The value is the number of
    /// timings.
    case tooFew(Int)
    /// A reason to reject the machine: the times of a fixed test task scatter too much. The value is the relative
    /// spread: 0.4 is 40 %.
    case spread(Double)
    /// A reason to reject the machine: too many test tasks took over twice the median time. The value is their share:
    /// 0.3 is 30 %.
    case outliers(Double)
  }

  /// Returns the reason why a machine is too noisy; nil if quiet enough. `probes` are the durations of equal test
  /// tasks.
  public static func defect(of probes: [Double]) -> Defect? {
    guard probes.count >= fewestProbes, let middle = Quantile.median(of: probes.sorted()), middle > 0 else {
      return .tooFew(probes.count)
    }
    if let spread = Spread.relative(of: probes), spread > largestSpread { return .spread(spread) }
    let share = Double(probes.count { $0 > 2 * middle }) / Double(probes.count)
    return share > largestOutlierShare ? .outliers(share) : nil
  }

  /// Returns the share of processor time given to other machines (steal) if above ``largestSteal``; otherwise nil.
  ///
  /// - Parameters:
  ///   - stolen: The time given to other machines between two readings, in ticks.
  ///   - ticks: The whole processor time between the two readings, in ticks.
  public static func excessiveSteal(_ stolen: Double, of ticks: Double) -> Double? {
    guard ticks > 0, stolen / ticks > largestSteal else { return nil }
    return stolen / ticks
  }
}
