/// The smallest factor between the times of two builds that counts as a change on a noisy machine.
public struct NoiseBound: Sendable, Equatable {
  // The noise is about 2.5 standard deviations of a median. With the exponent 1.5, the near end of an interval must be
  // almost 4 of them away from 1.

  /// The exponent that adds a safety margin to the noise: a noise factor of 1.3 becomes 1.48.
  public static let safety = 1.5

  /// The noise as a factor: 1.3 means that times of unchanged work differ by up to 30 %.
  public let noise: Double

  /// Determines the noise of a run: the largest factor by which the times of unchanged work differ.
  ///
  /// - Parameters:
  ///   - controls: The intervals of time ratios from control benchmarks, in which a build is compared with itself.
  ///   - probes: The durations of each kind of test task, in the order of measurement and in any unit.
  /// - Returns: Nil if the noise cannot be determined, for example from too few measurements.
  public init?(controls: [MedianInterval], probes: [[Double]]) {
    let successive = probes.compactMap { PairedRatio(pairs: zip($0, $0.dropFirst()).map { ($0, $1) })?.interval }
    guard !controls.isEmpty, !probes.isEmpty, successive.count == probes.count else { return nil }
    let factors = (controls + successive).map { $0.low > 0 ? max($0.high, 1 / $0.low) : .infinity }
    guard let noise = factors.max(), noise.isFinite else { return nil }
    self.noise = noise
  }

  /// The smallest factor between two times that counts as a real change on a noisy machine: 1.48 is 48 % more.
  public var factor: Double { exp(Self.safety * log(noise)) }

  /// Returns the verdict for a noisy machine: `slower` or `faster` if the change surely exceeds ``factor``, otherwise
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
