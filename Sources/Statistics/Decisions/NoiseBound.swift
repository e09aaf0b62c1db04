/// How large a change must be to be believed in a run whose machine was not quiet: beyond what things that cannot have
/// changed did in that very run.
///
/// Two kinds of them are at hand. *Controls* are cells that were compared with themselves: the far end of a control's
/// interval is a change that identical code may have shown. *Probes* do the same work before, between and after the
/// rounds; each is compared with the one before it as the sides of a pair are, and the interval of the median ratio is
/// read off like a cell's. It is what two equal things show that ran one after the other while the machine did what it
/// did, and a machine that changed its pace for good shows in one ratio only. The noise of a run is the largest of
/// these, as a factor.
///
/// A change counts where its *whole* interval lies beyond that noise and half as far again, on a logarithmic scale, since
/// noise multiplies: beyond 1.48 where the noise is 1.3. An interval's far end is about two standard deviations of its
/// median from 1, and the farthest of three controls about two and a half; the near end of a cell's interval then has to
/// be almost four away, and its median almost six. The reserve is for cells that are less steady than the controls, which
/// are three of many.
public struct NoiseBound: Sendable, Equatable {
  /// By which the logarithm of the noise is multiplied.
  public static let safety = 1.5

  /// The largest factor by which something that did not change seemed slower, or faster: 1.3 is 30 %.
  public let noise: Double

  /// Takes the largest of what the run has shown.
  ///
  /// - Parameters:
  ///   - controls: The intervals of head / base of cells that were compared with themselves, of the series that decided.
  ///   - probes: The durations of each kind of probe, in the order in which they were taken, in any unit.
  /// - Returns: nil where a control or a kind of probe is missing or has too few values: then nothing is known.
  public init?(controls: [MedianInterval], probes: [[Double]]) {
    let successive = probes.compactMap { PairedRatio(pairs: zip($0, $0.dropFirst()).map { ($0, $1) })?.interval }
    guard !controls.isEmpty, !probes.isEmpty, successive.count == probes.count else { return nil }
    let factors = (controls + successive).map { $0.low > 0 ? max($0.high, 1 / $0.low) : .infinity }
    guard let noise = factors.max(), noise.isFinite else { return nil }
    self.noise = noise
  }

  /// The factor beyond which a whole interval must lie for the change to be believed: 1.48 where the noise is 1.3.
  public var factor: Double { exp(Self.safety * log(noise)) }

  /// What is left of a verdict: *slower* and *faster* where the whole interval that decided lies beyond the bound;
  /// anything else could not be judged.
  public func verdict(_ verdict: PairedVerdict) -> PairedStage.Verdict {
    guard let interval = verdict.deciding.ratio.interval else { return .unmeasurable }
    switch verdict.verdict {
    case .slower where interval.low > factor: return .slower
    case .faster where interval.high < 1 / factor: return .faster
    default: return .unmeasurable
    }
  }
}
