/// The change of an operation's latency between the first and the second half of a measuring process.
public enum Steadiness: String, Sendable {
  /// The latency is about equal in the two halves of a measuring process.
  case steady
  /// The operations take longer in the second half of a measuring process.
  case slower
  /// The operations take less time in the second half of a measuring process.
  case faster

  /// Judges whether an operation becomes slower or faster within a process; steady for fewer than six processes.
  ///
  /// - Parameter halves: The mean latency of the second half divided by that of the first, for each process.
  public init(halves: [Double]) {
    let sorted = halves.sorted()
    self = .steady
    guard let interval = MedianInterval(of: sorted), let middle = Quantile.median(of: sorted) else { return }
    if interval.low > 1, middle > 1 + RowVerdict.margin { self = .slower }
    if interval.high < 1, middle < 1 / (1 + RowVerdict.margin) { self = .faster }
  }
}
