/// A comparison of an operation's latency at the end of a trial (process) with the latency at the start.
public enum Steadiness: Sendable, Equatable {
  /// The latencies of an operation do not differ between the start and the end of a trial (process).
  case steady
  /// The operation takes longer at the end of a trial (process) than at the start.
  case slower
  /// The operation takes less time at the end of a trial (process) than at the start.
  case faster

  /// Judges whether the latencies of an operation change within a trial (process).
  ///
  /// The latency is not steady if the whole interval of the median ratio is on one side of 1, and the median is beyond
  /// the margin of ``RowVerdict``. With fewer than six trials, the latency counts as steady.
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
