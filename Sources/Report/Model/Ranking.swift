import StorageStatistics

/// A result, or a backend, that is ranked by its time against other results or backends.
protocol Contestant: Sendable {
  /// The typical time of an operation in nanoseconds, by which the contestant is ranked. Nil if nothing was timed.
  var typicalTime: Double? { get }
  var rounds: Rounds { get }
  /// Whether the contestant may be called the fastest. Emulated backends, for example, may not.
  var canWin: Bool { get }
  /// The factors by which the lower and the upper end of the time's interval are multiplied. They add an uncertainty
  /// that repeated measurements do not show. Both factors are 1 for a measured time.
  var spread: (low: Double, high: Double) { get }
}

extension Contestant {
  var spread: (low: Double, high: Double) { (1, 1) }
}

/// The contestants sorted by time, the best contestant, and those that were not shown to be slower than the best.
struct Ranking<Member: Contestant>: Sendable {
  struct Entry: Sendable {
    let member: Member
    /// The factor by which the contestant is slower than the best contestant; 1 for the best.
    let factor: Double
    /// The comparison of the contestant with the best one. Nil for the best one itself, and if too few rounds
    /// (repetitions of the measurement) exist.
    let comparison: RowComparison?

    var isAboutEqual: Bool { factor == 1 && comparison == nil || comparison?.verdict == .aboutEqual }
  }

  /// The contestants that were timed, sorted by the factors by which they are slower than the best one.
  let entries: [Entry]
  /// The index in ``entries`` of the best contestant; nil if none was timed.
  ///
  /// The best contestant has the shortest time, unless the rounds (repetitions of the measurement) show another one to
  /// be faster. If some contestants may be called the fastest (`Contestant.canWin`), the best is one of them.
  let best: Int?
  /// The positions of the leaders and of the contestant after them, among the contestants that may be called the
  /// fastest. Position 0 is the best. If no contestant may be called the fastest, the outcome is
  /// `RankingOutcome.noContest`.
  let outcome: RankingOutcome

  init(_ members: [Member]) {
    let timed = members.filter { $0.typicalTime != nil }
    let winners = timed.filter { $0.canWin }
    let candidates = winners.isEmpty ? timed : winners
    guard
      let shortest = candidates.indices.min(by: {
        (candidates[$0].typicalTime ?? 0) < (candidates[$1].typicalTime ?? 0)
      })
    else {
      (entries, best, outcome) = ([], nil, .noContest)
      return
    }
    let first = Self.order(candidates, to: shortest)[0].position
    // `base` is the index of the best contestant in `timed`.
    let base = winners.isEmpty ? first : timed.indices.filter { timed[$0].canWin }[first]
    let order = Self.order(timed, to: base)
    let entries = order.map { position, factor in
      Entry(
        member: timed[position], factor: factor,
        comparison: position == base
          ? nil
          : RowComparison(
            base: timed[base], head: timed[position], rivals: timed[position].canWin ? max(2, winners.count) : 2))
    }
    let best = order.firstIndex { $0.position == base } ?? 0
    let rivals = Self.rivals(entries, best)
    (self.entries, self.best) = (entries, best)
    outcome =
      winners.isEmpty ? .noContest : RankingOutcome(among: rivals.count) { rivals[$0].comparison?.verdict }
  }

  /// The leaders, and the next contestant with the factor by which it is slower. The leaders are the best contestant
  /// and those not shown to be slower. Nil if the rounds (repetitions) do not decide the ranking, or if fewer than two
  /// contestants may win.
  var decision: (leaders: [Entry], next: (member: Member, slower: PairedRatio)?)? {
    guard case .decided(let leaders, let next) = outcome, let best else { return nil }
    let rivals = Self.rivals(entries, best)
    return (
      Array(rivals[leaders]),
      next.flatMap { position in rivals[position].comparison.map { (rivals[position].member, $0.ratio) } }
    )
  }

  private static func rivals(_ entries: [Entry], _ best: Int) -> [Entry] {
    [entries[best]] + entries.indices.filter { $0 != best && entries[$0].member.canWin }.map { entries[$0] }
  }

  private static func order(_ members: [Member], to base: Int) -> [(position: Int, factor: Double)] {
    let others = members.indices.filter { $0 != base }.map { position in
      (position: position, factor: RowComparison.factor(base: members[base], head: members[position]) ?? .infinity)
    }.sorted { $0.factor < $1.factor }
    let faster = others.prefix { $0.factor < 1 }
    return faster + [(base, 1)] + others.dropFirst(faster.count)
  }
}

/// A comparison of the times of two results. The times of the same round (repetition) are divided by each other.
public struct RowComparison: Sendable {
  /// The factor by which the second result (`head`) is slower than the first (`base`): the median of the ratios of all
  /// rounds (repetitions). Typical times are compared, or mean times if only one of the results was timed in batches.
  public let ratio: PairedRatio
  /// The verdict on the second result (`head`) against the first (`base`): slower, faster, about equal or inconclusive.
  public let verdict: RowVerdict
  private let rivals: Int

  /// The smallest relative difference of times that would be detected in four of five comparisons like this one. Nil if
  /// unknown.
  public var smallestDifference: Double? { SmallestDifference.share(ratio, rivals: rivals) }

  /// Compares two results by the rounds (repetitions) that both have.
  ///
  /// - Parameters:
  ///   - base: The result to compare with.
  ///   - head: The result to judge.
  ///   - rivals: The number of results of which `base` is the fastest; 2 if `base` was not selected by its time.
  ///
  /// - Returns: Nil if the results have fewer than six rounds in common, or if other programs disturbed one of them.
  public init?(base: SummaryRow, head: SummaryRow, rivals: Int = 2) {
    if base.isDisturbed || head.isDisturbed { return nil }
    self.init(contest: base, head, rivals)
  }

  init?(base: some Contestant, head: some Contestant, rivals: Int = 2) { self.init(contest: base, head, rivals) }

  private init?(contest base: some Contestant, _ head: some Contestant, _ rivals: Int) {
    let pairs = base.rounds.compactMap { round, left -> (base: RoundTiming, head: RoundTiming)? in
      head.rounds[round].map { (left, $0) }
    }
    let isMixed = pairs.contains { $0.base.isBatched != $0.head.isBatched }
    let times = pairs.map { isMixed ? ($0.base.mean, $0.head.mean) : ($0.base.typical, $0.head.typical) }
    guard var ratio = PairedRatio(pairs: times, unit: base.rounds.unit), let interval = ratio.interval else {
      return nil
    }
    self.rivals = rivals
    ratio.interval = MedianInterval(
      low: interval.low * head.spread.low / base.spread.high, high: interval.high * head.spread.high / base.spread.low)
    self.ratio = ratio
    let difference = Quantile.median(of: times.map { abs($0.1 - $0.0) }.sorted()) ?? 0
    let resolution = pairs.map { max($0.base.resolution, $0.head.resolution) }.max() ?? 0
    verdict = RowVerdict(ratio, rivals: rivals, isMeasurable: difference > resolution)
  }

  /// Returns the factor by which `head` is slower than `base`: the median of the ratios of all rounds (repetitions).
  /// With too few rounds, it is the ratio of typical times. Nil if one of the two was not timed.
  static func factor(base: some Contestant, head: some Contestant) -> Double? {
    if let comparison = RowComparison(base: base, head: head) { return comparison.ratio.ratio }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return time / least
  }
}
