/// The change of an operation's latency while a measuring process runs. The second half of the operations in each
/// process is compared with the first half.
public enum Steadiness: Sendable, Equatable {
  /// The latency is about equal in the first and the second half of the operations of a measuring process.
  case steady
  /// The operations take longer in the second half of a measuring process than in the first half.
  case slower
  /// The operations take less time in the second half of a measuring process than in the first half.
  case faster

  /// Judges whether an operation becomes slower or faster while a measuring process runs. The latency changes if the
  /// whole confidence interval of the median ratio is on one side of 1. The median must also differ from 1 by more than
  /// ``RowVerdict/margin``. With fewer than six processes, the latency counts as steady.
  ///
  /// - Parameter halves: The ratio of each process: the mean latency of the second half of its operations, divided by
  ///   that of the first half.
  public init(halves: [Double]) {
    let sorted = halves.sorted()
    self = .steady
    guard let interval = MedianInterval(of: sorted), let middle = Quantile.median(of: sorted) else { return }
    if interval.low > 1, middle > 1 + RowVerdict.margin { self = .slower }
    if interval.high < 1, middle < 1 / (1 + RowVerdict.margin) { self = .faster }
  }
}
