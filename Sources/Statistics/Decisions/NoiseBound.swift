/// The smallest change between two builds that counts on a noisy machine. The run also measures unchanged work, which
/// seems slower or faster only because of noise. A change between the builds must exceed this noise.
///
/// There are two kinds of unchanged work. *Controls* compare a build with itself. *Probes* are equal tasks before,
/// between and after the rounds of the run, each compared with the previous one. The noise is the largest change that
/// the interval of a control or probe contains, as a factor.
///
/// A change counts if its *whole* interval is beyond the noise to the power 1.5: beyond 1.48 for a noise of 1.3.
public struct NoiseBound: Sendable, Equatable {
  // A permanent change of the machine's speed shows in one ratio of probes only. An interval's far end is about two
  // standard deviations of its median from 1, and the farthest of three controls about two and a half. The near end of
  // a benchmark's interval must then be almost four away, and its median almost six. The reserve is for benchmarks that
  // are noisier than the three controls.

  /// The exponent to which the noise (the largest factor between times of unchanged work) is raised as a margin of
  /// safety. A power is used instead of a product, because the noise is a factor.
  public static let safety = 1.5

  /// The largest factor by which unchanged work seemed slower or faster: 1.3 is 30 %.
  public let noise: Double

  /// Determines the noise of a run as the largest change of unchanged work.
  ///
  /// - Parameters:
  ///   - controls: The interval of the ratio of a build to itself, from the last series of pairs of each control.
  ///   - probes: The durations of each kind of probe, in the order of measurement, in any unit.
  /// - Returns: Nil if a control or a kind of probe is missing or has too few values. The noise is then unknown.
  public init?(controls: [MedianInterval], probes: [[Double]]) {
    let successive = probes.compactMap { PairedRatio(pairs: zip($0, $0.dropFirst()).map { ($0, $1) })?.interval }
    guard !controls.isEmpty, !probes.isEmpty, successive.count == probes.count else { return nil }
    let factors = (controls + successive).map { $0.low > 0 ? max($0.high, 1 / $0.low) : .infinity }
    guard let noise = factors.max(), noise.isFinite else { return nil }
    self.noise = noise
  }

  /// The factor that the whole interval of a change must exceed for the change to count. It is ``noise`` to the power
  /// ``safety``, such as 1.48 for a noise of 1.3.
  public var factor: Double { exp(Self.safety * log(noise)) }

  /// Returns the verdict on a noisy machine: *slower* or *faster* if the whole interval of the change is beyond
  /// ``factor``, otherwise unmeasurable.
  public func verdict(_ verdict: PairedVerdict) -> PairedStage.Verdict {
    guard let interval = verdict.deciding.ratio.interval else { return .unmeasurable }
    switch verdict.verdict {
    case .slower where interval.low > factor: return .slower
    case .faster where interval.high < 1 / factor: return .faster
    default: return .unmeasurable
    }
  }
}
