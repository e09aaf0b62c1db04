import StorageStatistics

/// Two rows compared round by round.
public struct RowComparison: Sendable {
  /// The factor by which the head is slower: the median over rounds of the ratio of the processes' typical times, or of
  /// their mean times where only one of the rows was timed in batches.
  public let ratio: PairedRatio
  /// What is said of the head.
  public let verdict: RowVerdict

  /// Compares the rounds that both rows have.
  ///
  /// - Parameter rivals: How many rows the base is the fastest of; 2 for a pair that was not chosen by its times.
  /// - Returns: nil below six rounds in common.
  public init?(base: SummaryRow, head: SummaryRow, rivals: Int = 2) {
    self.init(contest: base, head, rivals)
  }

  /// The same for anything that is ranked by its time.
  init?(base: some Contestant, head: some Contestant, rivals: Int = 2) {
    self.init(contest: base, head, rivals)
  }

  private init?(contest base: some Contestant, _ head: some Contestant, _ rivals: Int) {
    let pairs = base.rounds.keys.sorted().compactMap { round -> (base: RoundTiming, head: RoundTiming)? in
      guard let left = base.rounds[round], let right = head.rounds[round] else { return nil }
      return (left, right)
    }
    let isMixed = pairs.contains { $0.base.isBatched != $0.head.isBatched }
    let times = pairs.map { isMixed ? ($0.base.mean, $0.head.mean) : ($0.base.typical, $0.head.typical) }
    guard var ratio = PairedRatio(pairs: times), let interval = ratio.interval else { return nil }
    ratio.interval = MedianInterval(
      low: interval.low * head.spread.low / base.spread.high, high: interval.high * head.spread.high / base.spread.low)
    self.ratio = ratio
    let difference = Quantile.median(of: times.map { abs($0.1 - $0.0) }.sorted()) ?? 0
    let resolution = pairs.map { max($0.base.resolution, $0.head.resolution) }.max() ?? 0
    verdict = RowVerdict(ratio, rivals: rivals, isMeasurable: difference > resolution)
  }

  /// By which factor a row is slower than another, as every output says it: that of the comparison or, where rounds are
  /// too few for one, of what both rows show. Nil where one was not timed.
  static func factor(base: some Contestant, head: some Contestant) -> Double? {
    if let comparison = RowComparison(base: base, head: head) { return comparison.ratio.ratio }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return time / least
  }
}
