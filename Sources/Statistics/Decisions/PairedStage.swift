/// The result of a series of pairs. Each pair has a time of the old build (base) and of the new build (head), measured
/// in succession.
///
/// The verdicts *slower* and *faster* need three conditions at once, since each alone gives false alarms. The whole
/// interval of the median ratio is on one side of 1, the median exceeds the margin, and the difference exceeds the
/// timer's resolution.
public struct PairedStage: Sendable, Equatable {
  /// The verdict on the new build (head) from a series of pairs.
  public enum Verdict: String, Sendable, Codable {
    /// The new build takes more time (slower) or less time (faster) than the old build.
    case slower, faster
    /// The builds do not differ by more than the margin, the share below which a difference is irrelevant.
    /// ``PairedStage/smallestDetectable`` is the smallest change that would have been detected.
    case same
    /// The times of the pairs scatter so much that they could hide a difference.
    case unmeasurable
  }

  /// The ratio of the new build's times to the old build's, head / base, with its interval.
  public var ratio: PairedRatio
  /// The verdict of the series on the new build.
  public var verdict: Verdict
  /// Whether the interval of the ratio is too wide to show that the builds are equally fast. More pairs may then help.
  public var scatters: Bool
  /// The smallest change, as a share, that the pairs would have detected. A share of 0.2 stands for times that are
  /// multiplied or divided by 1.2. The value is computed from the pairs without an assumption about noise. It is never
  /// below the margin, the share below which a difference is irrelevant.
  public var smallestDetectable: Double

  /// The largest relative half-width of a ratio's interval that is usable to show that two builds are equally fast. If
  /// three times the margin for irrelevant differences is larger, that value applies instead.
  public static let widestUsable = 0.15

  /// Judges paired times per operation of the old and the new build, in nanoseconds.
  ///
  /// - Parameters:
  ///   - pairs: One pair of each round (repetition). Both times are positive.
  ///   - margin: The share below which a difference is irrelevant: 0.05 is 5 %.
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

/// The verdict of two series of paired measurements. A change that the first series shows must be confirmed by a second
/// series of fresh pairs.
public struct PairedVerdict: Sendable, Equatable {
  // A 96 % interval is wholly on the wrong side in 2 of 100 comparisons of identical code. Two in succession on the
  // same side occur in 4 of 10,000. A noisy first series is judged a second time, with more pairs, so chance gets two
  // tries. Its second series is that long from the start and judged once, and its interval is somewhat wider because
  // ranks are discrete. This leaves 5 of 10,000.

  /// The series that decided the verdict: the second one if there was a second series.
  public var deciding: PairedStage
  /// Whether a second series of pairs was run to confirm a change. The second series may also contradict the change.
  public var isConfirmed: Bool
  /// The verdict on the new build (head), after the first series of pairs and, if there was one, the second.
  public var verdict: PairedStage.Verdict

  /// Returns whether a first series shows a difference, which a second series must confirm.
  public static func isSuspect(_ stage: PairedStage) -> Bool { stage.verdict == .slower || stage.verdict == .faster }

  /// Combines the results of the two series of pairs.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - second: The result of the second series. Nil if `first` is not a suspect (see ``isSuspect(_:)``), or if the
  ///     second series is missing.
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

  private init(deciding: PairedStage, isConfirmed: Bool, verdict: PairedStage.Verdict) {
    self.deciding = deciding
    self.isConfirmed = isConfirmed
    self.verdict = verdict
  }
}

/// Balanced random orders of the two builds in paired measurements.
public enum BalancedOrder {
  /// Returns for each of `count` pairs, in random order, whether the old build is measured first. `true` and `false`
  /// occur equally often, or `true` once more if `count` is odd. The build that runs first in a pair may have an
  /// advantage.
  public static func draw(_ count: Int, using random: inout some RandomNumberGenerator) -> [Bool] {
    (0..<count).map { $0.isMultiple(of: 2) }.shuffled(using: &random)
  }
}
