/// A comparison of an operation's latency in the second half of a trial (process) with that in the first half.
public enum Steadiness: Sendable, Equatable {
  /// The latencies of an operation do not differ between the halves of a trial (process).
  case steady
  /// The operation takes longer in the second half of a trial (process) than in the first.
  case slower
  /// The operation takes less time in the second half of a trial (process) than in the first.
  case faster

  /// Judges whether the latencies of an operation change within a trial (process).
  ///
  /// The latency is not steady if the trials agree on a change: the whole interval of the median of `halves` is on one
  /// side of 1, and the median is beyond the margin of ``RowVerdict``. With fewer than six trials, the latency counts
  /// as steady.
  ///
  /// - Parameter halves: For each trial, the mean latency of the second half divided by that of the first half.
  public init(halves: [Double]) {
    let sorted = halves.sorted()
    self = .steady
    guard let interval = MedianInterval(of: sorted), let middle = Quantile.median(of: sorted) else { return }
    if interval.low > 1, middle > 1 + RowVerdict.margin { self = .slower }
    if interval.high < 1, middle < 1 / (1 + RowVerdict.margin) { self = .faster }
  }
}
