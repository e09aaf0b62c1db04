/// The smallest change of time between two builds that is accepted as real on a noisy machine, as a factor. It follows
/// from the noise, the largest factor by which times of unchanged work differ.
///
/// A safety margin (the power 1.5) turns a noise of 1.3, for example, into the factor 1.48. The new build then counts
/// as slower only if the whole confidence interval of its times, divided by those of the old build, is above 1.48.
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
  ///   - controls: For each control, the confidence interval of the ratio of two series of times. A control is a
  ///     benchmark in which a build is compared with itself.
  ///   - probes: For each kind of test task, the durations in the order of measurement, in any unit. Each is compared
  ///     with the previous one.
  /// - Returns: Nil if a control or a kind of test task is missing or has too few values. The noise is then unknown.
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

  /// Returns the verdict on a new build on a noisy machine, from the verdict for a quiet machine. On a noisy machine,
  /// only large differences count. The times of the new build are divided by those of the old build, which gives a
  /// ratio with a confidence interval. A slower build stays slower if the whole interval is above ``factor``. A faster
  /// build stays faster if the whole interval is below 1 / ``factor``. In all other cases, the verdict is
  /// `unmeasurable`.
  public func verdict(_ verdict: PairedVerdict) -> ChangeVerdict {
    guard let interval = verdict.deciding.ratio.interval else { return .unmeasurable }
    switch verdict.verdict {
    case .slower where interval.low > factor: return .slower
    case .faster where interval.high < 1 / factor: return .faster
    default: return .unmeasurable
    }
  }
}
