/// The result of a series of pairs of measurements. A pair has a time of the old build (base) and a time of the new
/// build (head).
///
/// The new build is slower or faster only if the whole confidence interval of the median ratio is on one side of 1. The
/// difference must also exceed the margin and the timer's resolution.
public struct PairedStage: Sendable, Equatable {
  /// The ratio of the new build's times to the old build's times (head / base).
  public var ratio: PairedRatio
  /// The verdict on the new build's times after this series of pairs: `slower`, `faster`, `same` or `unmeasurable`. If
  /// the benchmark is measured in two series, ``PairedVerdict`` combines the verdicts of both.
  public var verdict: ChangeVerdict
  /// Whether the times of the two builds scatter too much to show that the builds are equally fast. More pairs of
  /// measurements, each with one time of either build, may then help.
  public var scatters: Bool
  /// The smallest difference in time between two builds that the measurements would have detected: 0.2 is a factor of
  /// 1.2. The value is at least the margin, such as 0.05, because differences up to the margin are ignored as
  /// irrelevant.
  public var smallestDetectable: Double

  /// The largest scatter with which two builds can be called equally fast: 0.15 is ±15 %. The scatter is the relative
  /// half-width of the confidence interval of the time ratio. If the ignored difference (margin) exceeds 5 %, the limit
  /// is three times the margin.
  public static let widestUsable = 0.15

  /// Judges pairs of positive times per operation, in nanoseconds, of the old build (base) and the new build (head).
  ///
  /// - Parameters:
  ///   - margin: The relative difference that is ignored: 0.05 is 5 %.
  ///   - resolution: The difference in nanoseconds that the timer alone can cause.
  /// - Returns: Nil for fewer than ``MedianInterval/fewestValues`` pairs.
  public init?(pairs: [(base: Double, head: Double)], margin: Double, resolution: Double) {
    guard let ratio = PairedRatio(pairs: pairs), let interval = ratio.interval,
      let difference = Quantile.median(of: pairs.map { $0.head - $0.base }.sorted())
    else { return nil }
    self.ratio = ratio
    let isMeasurable = abs(difference) > resolution
    scatters = (interval.relativeHalfWidth ?? .infinity) > max(Self.widestUsable, 3 * margin)
    let byPairs =
      [(1 + margin) * max(ratio.ratio, 1 / ratio.ratio), interval.high, 1 / interval.low].max() ?? .infinity
    let base = Quantile.median(of: pairs.map { $0.base }.sorted()) ?? 0
    smallestDetectable = max(byPairs - 1, base > 0 ? resolution / base : .infinity)
    if isMeasurable, interval.low > 1, ratio.ratio > 1 + margin {
      verdict = .slower
    } else if isMeasurable, interval.high < 1, ratio.ratio < 1 / (1 + margin) {
      verdict = .faster
    } else {
      verdict = scatters ? .unmeasurable : .same
    }
  }
}

/// The verdict on a new build. If a first series of measurements shows a change, a second series must confirm it.
public struct PairedVerdict: Sendable, Equatable {
  // A 96 % interval is wholly on the wrong side in 2 of 100 comparisons of identical code. Two in succession on the
  // same side occur in 4 of 10,000. A noisy first series is judged a second time, with more pairs, so chance gets two
  // tries. Its second series is that long from the start and judged once, and its interval is somewhat wider because
  // ranks are discrete. This leaves 5 of 10,000.

  /// The result of the last series of measurements, which decided the verdict.
  public var deciding: PairedStage
  /// Whether the benchmark was measured a second time, because the first series of measurements showed a change. True
  /// even if the second series showed no change or the opposite.
  public var isConfirmed: Bool
  /// The verdict on the times of the new build, after all series of measurements.
  public var verdict: ChangeVerdict

  /// Returns whether a first series of measurements shows a change, which a second series must confirm.
  public static func isSuspect(_ stage: PairedStage) -> Bool { stage.verdict == .slower || stage.verdict == .faster }

  /// Combines the results of the first and the second series of measurements. A change counts only if both series show
  /// it.
  ///
  /// - Parameter second: The result of the second series; nil if there was none. A change in the first series then
  ///   gives `unmeasurable`.
  public init(first: PairedStage, second: PairedStage?) {
    guard Self.isSuspect(first) else {
      self.init(deciding: first, isConfirmed: false, verdict: first.verdict)
      return
    }
    guard let second else {
      self.init(deciding: first, isConfirmed: false, verdict: .unmeasurable)
      return
    }
    // Slower in one series and faster in the other is chance.
    let contradicts = Self.isSuspect(second) && second.verdict != first.verdict
    self.init(deciding: second, isConfirmed: true, verdict: contradicts ? .same : second.verdict)
  }

  private init(deciding: PairedStage, isConfirmed: Bool, verdict: ChangeVerdict) {
    self.deciding = deciding
    self.isConfirmed = isConfirmed
    self.verdict = verdict
  }
}
