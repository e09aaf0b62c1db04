/// What one series of pairs says of a cell: both sides were measured back to back, once per round.
///
/// A statement needs three things at once, since each alone cries wolf: the whole interval of the median ratio lies on
/// one side of 1, the median is worth speaking of, and the difference is more than the timer can make up.
public struct PairedStage: Sendable, Equatable {
  /// What the series says of the head.
  public enum Verdict: String, Sendable, Codable {
    /// The head takes longer, or less time.
    case slower, faster
    /// No difference beyond the margin was found; ``PairedStage/smallestDetectable`` says how small a one would have been.
    case same
    /// The pairs scatter so much that a difference could hide among them.
    case unmeasurable
  }

  /// The ratio head / base, with its interval.
  public var ratio: PairedRatio
  /// See ``Verdict``.
  public var verdict: Verdict
  /// Whether the interval is so wide that more pairs are needed, whatever the verdict.
  public var scatters: Bool
  /// The smallest change, as a share, that these pairs would have found: had every time of the head been longer by this
  /// share, or shorter by its inverse, whichever takes more, the cell would have been a suspect. So the whole interval
  /// would have lain on one side of 1, the median beyond the margin, and the difference beyond what the timer makes.
  ///
  /// It is computed from the pairs as they are, without an assumption about noise, and never below the margin.
  public var smallestDetectable: Double

  /// Where the half-width of the interval makes a cell unmeasurable, as a share, whatever the margin.
  public static let widestUsable = 0.15

  /// Judges pairs of times per operation, in nanoseconds.
  ///
  /// - Parameters:
  ///   - pairs: One of each round, positive.
  ///   - margin: The share below which a difference is not worth speaking of: 0.05 is 5 %.
  ///   - resolution: Nanoseconds of difference that the timer itself can make.
  /// - Returns: nil below ``MedianInterval/fewestValues`` pairs.
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

/// The verdict of two stages: what the first suspects, a second series of fresh pairs has to confirm.
///
/// An interval of 96 % lies wholly on the wrong side in 2 of 100 comparisons of a thing with itself; that two do so one
/// after the other, on the same side, happens in 4 of 10,000. Where a first series scatters it is looked at a second
/// time, with more pairs, so that chance gets two tries; its second series is that long from the start, looked at once,
/// and its interval somewhat wider by the ranks there are, which leaves 5 of 10,000.
public struct PairedVerdict: Sendable, Equatable {
  /// The series that decided: the second where there is one.
  public var deciding: PairedStage
  /// Whether a second series was run.
  public var isConfirmed: Bool
  /// What is said of the head.
  public var verdict: PairedStage.Verdict

  /// Whether a first stage calls for a second.
  public static func isSuspect(_ stage: PairedStage) -> Bool {
    stage.verdict == .slower || stage.verdict == .faster
  }

  /// Combines the stages.
  ///
  /// - Parameters:
  ///   - first: What the first series said.
  ///   - second: What the second said; nil unless the first ``isSuspect(_:)``, or where it could not be had.
  public init(first: PairedStage, second: PairedStage?) {
    guard Self.isSuspect(first) else {
      self.init(deciding: first, isConfirmed: false, verdict: first.verdict)
      return
    }
    guard let second else {
      self.init(deciding: first, isConfirmed: false, verdict: .unmeasurable)
      return
    }
    // Slower at first and faster then is chance both times.
    let contradicts = Self.isSuspect(second) && second.verdict != first.verdict
    self.init(deciding: second, isConfirmed: true, verdict: contradicts ? .same : second.verdict)
  }

  private init(deciding: PairedStage, isConfirmed: Bool, verdict: PairedStage.Verdict) {
    self.deciding = deciding
    self.isConfirmed = isConfirmed
    self.verdict = verdict
  }
}

/// Which side of each pair goes first.
public enum BalancedOrder {
  /// A shuffled list in which both values come equally often, give or take one: whoever runs first in a pair may have
  /// an advantage, and neither side is to have it more often.
  public static func draw(_ count: Int, using random: inout some RandomNumberGenerator) -> [Bool] {
    (0..<count).map { $0.isMultiple(of: 2) }.shuffled(using: &random)
  }
}
