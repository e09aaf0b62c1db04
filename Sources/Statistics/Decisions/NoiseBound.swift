/// The smallest factor between the times of two builds that counts as a change on a noisy machine. It is the noise to
/// the power 1.5, as a safety margin: a noise of 1.3 gives the factor 1.48. Noise is the largest factor by which times
/// of unchanged work differ.
public struct NoiseBound: Sendable, Equatable {
  // A permanent change of the machine's speed shows in one ratio of probes only. An interval's far end is about two
  // standard deviations of its median from 1, and the farthest of three controls about two and a half. The near end of
  // a benchmark's interval must then be almost four away, and its median almost six. The reserve is for benchmarks that
  // are noisier than the three controls.

  /// The exponent that adds a safety margin to the noise: a noise factor of 1.3 becomes 1.48.
  public static let safety = 1.5

  /// The noise as a factor: 1.3 means that times of unchanged work differ by up to 30 %.
  public let noise: Double

  /// Determines the noise of a run: the largest factor by which the times of unchanged work differ.
  ///
  /// - Parameters:
  ///   - controls: The confidence interval of the time ratio of each control. A control compares a build with itself.
  ///   - probes: The durations of each kind of test task, in the order of measurement and in any unit.
  /// - Returns: Nil if `controls` or `probes` is empty, or if a kind of test task has too few durations.
  public init?(controls: [MedianInterval], probes: [[Double]]) {
    let successive = probes.compactMap { PairedRatio(pairs: zip($0, $0.dropFirst()).map { ($0, $1) })?.interval }
    guard !controls.isEmpty, !probes.isEmpty, successive.count == probes.count else { return nil }
    let factors = (controls + successive).map { $0.low > 0 ? max($0.high, 1 / $0.low) : .infinity }
    guard let noise = factors.max(), noise.isFinite else { return nil }
    self.noise = noise
  }

  /// The smallest change that is accepted as real, as a factor: ``noise`` to the power ``safety``, such as 1.48 for a
  /// noise of 1.3.
  public var factor: Double { exp(Self.safety * log(noise)) }

  /// Returns the verdict on a new build on a noisy machine, from the verdict for a quiet machine. `slower` stays only
  /// if the whole confidence interval of the time ratio (new / old) is above ``factor``. `faster` stays only if the
  /// whole interval is below 1 / ``factor``. Any other verdict becomes `unmeasurable`.
  public func verdict(_ verdict: PairedVerdict) -> ChangeVerdict {
    guard let interval = verdict.deciding.ratio.interval else { return .unmeasurable }
    switch verdict.verdict {
    case .slower where interval.low > factor: return .slower
    case .faster where interval.high < 1 / factor: return .faster
    default: return .unmeasurable
    }
  }
}
