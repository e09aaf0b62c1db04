/// The smallest change that counts in a run on a noisy machine. The change must exceed the apparent changes of
/// unchanged work in the same run.
///
/// There are two kinds of unchanged work. *Controls* are cells that were compared with themselves. The far end of a
/// control's interval is a change that identical code may have shown. *Probes* do the same work before, between and
/// after the rounds. Each probe is compared with the previous one like the sides of a pair, and the interval of the
/// median ratio is computed as for a cell. The interval shows the difference between two equal tasks that ran in
/// succession on this machine. A machine that changed its speed permanently shows in one ratio only. The noise of a run
/// is the largest of these changes, as a factor.
///
/// A change counts if its *whole* interval lies beyond 1.5 times that noise on a logarithmic scale, since noise
/// multiplies: beyond 1.48 for a noise of 1.3. An interval's far end is about two standard deviations of its median
/// from 1, and the farthest of three controls about two and a half. The near end of a cell's interval must then be
/// almost four away, and its median almost six. The reserve is for cells that are noisier than the three controls.
public struct NoiseBound: Sendable, Equatable {
  /// The factor by which the logarithm of the noise is multiplied for safety.
  public static let safety = 1.5

  /// The largest factor by which unchanged work seemed slower or faster: 1.3 is 30 %.
  public let noise: Double

  /// Determines the noise of a run as the largest change of unchanged work.
  ///
  /// - Parameters:
  ///   - controls: The intervals of head / base of cells compared with themselves, from the deciding series.
  ///   - probes: The durations of each kind of probe, in the order of measurement, in any unit.
  /// - Returns: Nil if a control or a kind of probe is missing or has too few values. The noise is then unknown.
  public init?(controls: [MedianInterval], probes: [[Double]]) {
    let successive = probes.compactMap { PairedRatio(pairs: zip($0, $0.dropFirst()).map { ($0, $1) })?.interval }
    guard !controls.isEmpty, !probes.isEmpty, successive.count == probes.count else { return nil }
    let factors = (controls + successive).map { $0.low > 0 ? max($0.high, 1 / $0.low) : .infinity }
    guard let noise = factors.max(), noise.isFinite else { return nil }
    self.noise = noise
  }

  /// The factor beyond which a whole interval must lie for a change to count: 1.48 for a noise of 1.3.
  public var factor: Double { exp(Self.safety * log(noise)) }

  /// Returns the verdict on a noisy machine: *slower* and *faster* if the whole deciding interval lies beyond the
  /// bound, otherwise unmeasurable.
  public func verdict(_ verdict: PairedVerdict) -> PairedStage.Verdict {
    guard let interval = verdict.deciding.ratio.interval else { return .unmeasurable }
    switch verdict.verdict {
    case .slower where interval.low > factor: return .slower
    case .faster where interval.high < 1 / factor: return .faster
    default: return .unmeasurable
    }
  }
}
