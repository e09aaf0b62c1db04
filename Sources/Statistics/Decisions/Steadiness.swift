/// Whether an operation takes as long at the end of a trial as at its start.
public enum Steadiness: Sendable, Equatable {
  /// It does, as far as the trials can tell.
  case steady
  /// It takes longer at the end.
  case slower
  /// It takes less at the end.
  case faster

  /// Judges the trials of a row.
  ///
  /// A row is not steady where the whole interval of the median lies on one side of 1, and the median beyond the margin
  /// of ``RowVerdict``. Below six trials nothing is said against it.
  ///
  /// - Parameter halves: The mean latency of the second half of a trial by that of the first, of each trial.
  public init(halves: [Double]) {
    let sorted = halves.sorted()
    self = .steady
    guard let interval = MedianInterval(of: sorted), let middle = Quantile.median(of: sorted) else { return }
    if interval.low > 1, middle > 1 + RowVerdict.margin { self = .slower }
    if interval.high < 1, middle < 1 / (1 + RowVerdict.margin) { self = .faster }
  }
}
