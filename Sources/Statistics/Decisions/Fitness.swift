/// A test of whether a machine was quiet enough to judge times, by the durations of equal test tasks.
public struct Fitness: Sendable, Equatable {
  /// The largest accepted relative spread of the durations of equal test tasks: 0.3 is 30 %.
  public static let largestSpread = 0.3
  /// The largest accepted share of test tasks that take more than twice the median time: 0.25 is 25 %.
  public static let largestOutlierShare = 0.25
  /// The largest accepted share of processor time that the hypervisor gives to other machines (steal): 0.1 is 10 %.
  public static let largestSteal = 0.1
  /// The minimum number of timed test tasks for judging a machine.
  public static let fewestProbes = 3

  /// The reason why a machine is too noisy to judge times.
  public enum Defect: Sendable, Equatable {
    /// Too few test tasks were timed. The value is their number.
    case tooFew(Int)
    /// The durations of equal test tasks scatter too much. The value is their relative spread: 0.4 is 40 %.
    case spread(Double)
    /// Too many test tasks take more than twice the median time. The value is their share: 0.3 is 30 %.
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
