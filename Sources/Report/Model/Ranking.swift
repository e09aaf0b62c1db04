import StorageStatistics

/// A value that is ranked by its time: a row among rows, or a backend for an app.
protocol Contestant: Sendable {
  /// The time of the contestant in nanoseconds; nil if nothing was timed.
  var typicalTime: Double? { get }
  var rounds: Rounds { get }
  /// Whether the contestant may be called the fastest.
  var canWin: Bool { get }
  /// The factors of uncertainty beyond the rounds, below and above the time; both 1 if the time was measured.
  var spread: (low: Double, high: Double) { get }
}

extension Contestant {
  var spread: (low: Double, high: Double) { (1, 1) }
}

/// The contestants in the order of their times, and the leaders.
struct Ranking<Member: Contestant>: Sendable {
  struct Entry: Sendable {
    let member: Member
    /// The factor by which the contestant is slower than the best, as in every output; 1 for the best.
    let factor: Double
    /// The comparison of the contestant with the best; nil for the best itself, and with too few rounds.
    let comparison: RowComparison?

    /// Whether the contestant is the best, or about equal. Otherwise it is slower, or the comparison is inconclusive.
    var isAboutEqual: Bool { factor == 1 && comparison == nil || comparison?.verdict == .aboutEqual }
  }

  /// The timed contestants, in the order of their factors to the best.
  let entries: [Entry]
  /// The index of the best contestant in ``entries``; nil if none was timed.
  ///
  /// The best is the fastest that may win, or the fastest of all if none may. It is the one with the shortest time,
  /// unless the rounds show another to be faster.
  let best: Int?
  /// The leaders, as indices among the contestants that may win, the best first.
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
    // `base` is the index of the best among all timed contestants.
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

  /// The leaders and the next contestant. The leaders are the best and those not shown to be slower; the next one has
  /// the factor by which it is slower. Nil without a contest, or with too few rounds.
  var decision: (leaders: [Entry], next: (member: Member, slower: PairedRatio)?)? {
    guard case .decided(let leaders, let next) = outcome, let best else { return nil }
    let rivals = Self.rivals(entries, best)
    return (
      Array(rivals[leaders]),
      next.flatMap { position in rivals[position].comparison.map { (rivals[position].member, $0.ratio) } }
    )
  }

  /// Returns the contestants that may win, the best first.
  private static func rivals(_ entries: [Entry], _ best: Int) -> [Entry] {
    [entries[best]] + entries.indices.filter { $0 != best && entries[$0].member.canWin }.map { entries[$0] }
  }

  /// Returns contestants' indices in the order of their factors to one, which precedes others with an equal factor.
  private static func order(_ members: [Member], to base: Int) -> [(position: Int, factor: Double)] {
    let others = members.indices.filter { $0 != base }.map { position in
      (position: position, factor: RowComparison.factor(base: members[base], head: members[position]) ?? .infinity)
    }.sorted { $0.factor < $1.factor }
    let faster = others.prefix { $0.factor < 1 }
    return faster + [(base, 1)] + others.dropFirst(faster.count)
  }
}

/// A comparison of two rows, round by round.
public struct RowComparison: Sendable {
  /// The factor by which the head is slower: the median over rounds of the ratio of the processes' typical times, or of
  /// their mean times if only one of the rows was timed in batches.
  public let ratio: PairedRatio
  /// The verdict on the head, the row that is compared with the base.
  public let verdict: RowVerdict
  private let rivals: Int

  /// The smallest difference that four of five such runs would find, as a share; see `SmallestDifference`.
  public var smallestDifference: Double? { SmallestDifference.share(ratio, rivals: rivals) }

  /// Compares the rounds that both rows have.
  ///
  /// - Parameters:
  ///   - base: The row to compare with.
  ///   - head: The row to judge.
  ///   - rivals: The number of rows of which the base is the fastest; 2 for a pair not chosen by its times.
  /// - Returns: Nil below six common rounds, and if a row was disturbed.
  public init?(base: SummaryRow, head: SummaryRow, rivals: Int = 2) {
    if base.isDisturbed || head.isDisturbed { return nil }
    self.init(contest: base, head, rivals)
  }

  init?(base: some Contestant, head: some Contestant, rivals: Int = 2) {
    self.init(contest: base, head, rivals)
  }

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

  /// Returns the factor by which a row is slower than another: from their comparison or, with too few rounds, from the
  /// typical times. Nil if a row was not timed.
  static func factor(base: some Contestant, head: some Contestant) -> Double? {
    if let comparison = RowComparison(base: base, head: head) { return comparison.ratio.ratio }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return time / least
  }
}
