/// The result of a series of pairs of measurements. A pair has a time of the old build and a time of the new build.
public struct PairedStage: Sendable, Equatable {
  /// The ratio of the new build's times to the old build's times (head / base).
  public var ratio: PairedRatio
  /// The verdict on the new build's times: `slower`, `faster`, `same` or `unmeasurable`.
  public var verdict: ChangeVerdict
  /// Whether the times scatter too much to show that the two builds are equally fast. More measurements may then help.
  public var scatters: Bool
  /// The smallest difference between two builds that the measurements would have detected: 0.2 is a factor of 1.2.
  public var smallestDetectable: Double

  /// The largest uncertainty of a time ratio with which two builds can be called equally fast: 0.15 is ±15 %. For a
  /// `margin` above 5 %, the limit is three times the `margin`.
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

/// The verdict on a new build. If a first series of measurements shows a change, a second series must confirm the
/// change.
public struct PairedVerdict: Sendable, Equatable {
  // Identical code seems slower in 2 of 100 single series, by 96 % intervals. Two series in succession reduce this to
  // about 5 of 10,000.

  /// The result of the last series of measurements, which decided the verdict.
  public var deciding: PairedStage
  /// Whether a second series was measured, even if the second series showed no change.
  public var isConfirmed: Bool
  /// The verdict on the times of the new build, after all series of measurements.
  public var verdict: ChangeVerdict

  /// Returns whether a first series of measurements shows a change, which a second series must confirm.
  public static func isSuspect(_ stage: PairedStage) -> Bool { stage.verdict == .slower || stage.verdict == .faster }

  /// Combines the results of the first and the second series. A change counts only if both series show the change.
  ///
  /// - Parameter second: The result of the second series. Without it (nil), a change in the first series is
  ///   `unmeasurable`.
  public init(first: PairedStage, second: PairedStage?) {
    guard Self.isSuspect(first), let second else {
      (deciding, isConfirmed) = (first, false)
      verdict = Self.isSuspect(first) ? .unmeasurable : first.verdict
      return
    }
    (deciding, isConfirmed) = (second, true)
    // Slower in one series and faster in the other is chance.
    let contradicts = Self.isSuspect(second) && second.verdict != first.verdict
    verdict = contradicts ? .same : second.verdict
  }
}
