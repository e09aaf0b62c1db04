import StorageStatistics

/// Something that is ranked by its time: a row among rows, or a backend for an app.
protocol Contestant: Sendable {
  /// Nanoseconds; nil where nothing was timed.
  var typicalTime: Double? { get }
  /// What each round measured.
  var rounds: Rounds { get }
  /// Whether it may be called the fastest.
  var canWin: Bool { get }
  /// The factors by which the time may be smaller and larger than what the rounds show; both 1 where it was measured.
  var spread: (low: Double, high: Double) { get }
}

extension Contestant {
  var spread: (low: Double, high: Double) { (1, 1) }
}

/// Contestants in the order of their times, and who leads.
struct Ranking<Member: Contestant>: Sendable {
  /// One of them.
  struct Entry: Sendable {
    /// Who.
    let member: Member
    /// By which factor it is slower than the best, as every output says it; 1 for the best.
    let factor: Double
    /// The same with its interval and what it amounts to; nil for the best, and where rounds are too few.
    let comparison: RowComparison?

    /// Whether it was shown to be about equal to the best, as the best is to itself. Else which of the two is faster is
    /// inconclusive, or it is slower.
    var isAboutEqual: Bool { factor == 1 && comparison == nil || comparison?.verdict == .aboutEqual }
  }

  /// Those that were timed, fastest first: in the order of their factors to the best.
  let entries: [Entry]
  /// The position of the best; nil where nobody was timed.
  ///
  /// It is the fastest that may win, or the fastest at all where none may: the one with the shortest time, unless rounds
  /// show another with a smaller factor to it.
  let best: Int?
  /// Who leads, as positions among those that may win, the best first.
  let outcome: RankingOutcome

  /// Ranks contestants.
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
    // The best stands where it stood among all.
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

  /// Who leads: the best and those that were not shown to be slower, then the next one behind them with the factor by
  /// which it is slower. Nil where there is no contest, and where rounds are too few.
  var decision: (leaders: [Entry], next: (member: Member, slower: PairedRatio)?)? {
    guard case .decided(let leaders, let next) = outcome, let best else { return nil }
    let rivals = Self.rivals(entries, best)
    return (
      Array(rivals[leaders]),
      next.flatMap { position in rivals[position].comparison.map { (rivals[position].member, $0.ratio) } }
    )
  }

  /// Those that may win, the best first.
  private static func rivals(_ entries: [Entry], _ best: Int) -> [Entry] {
    [entries[best]] + entries.indices.filter { $0 != best && entries[$0].member.canWin }.map { entries[$0] }
  }

  /// Positions in the order of their factors to one of them, which comes before others with the same.
  private static func order(_ members: [Member], to base: Int) -> [(position: Int, factor: Double)] {
    let others = members.indices.filter { $0 != base }.map { position in
      (position: position, factor: RowComparison.factor(base: members[base], head: members[position]) ?? .infinity)
    }.sorted { $0.factor < $1.factor }
    let faster = others.prefix { $0.factor < 1 }
    return faster + [(base, 1)] + others.dropFirst(faster.count)
  }
}

/// Two rows compared round by round.
public struct RowComparison: Sendable {
  /// The factor by which the head is slower: the median over rounds of the ratio of the processes' typical times, or of
  /// their mean times where only one of the rows was timed in batches.
  public let ratio: PairedRatio
  /// What is said of the head.
  public let verdict: RowVerdict
  private let rivals: Int

  /// The smallest difference that four of five runs like this one would have named, as a share; see
  /// `SmallestDifference`.
  public var smallestDifference: Double? { SmallestDifference.share(ratio, rivals: rivals) }

  /// Compares the rounds that both rows have.
  ///
  /// - Parameters:
  ///   - base: The row to compare with.
  ///   - head: The row of which something is said.
  ///   - rivals: How many rows the base is the fastest of; 2 for a pair that was not chosen by its times.
  /// - Returns: nil below six rounds in common, and where others used the machine.
  public init?(base: SummaryRow, head: SummaryRow, rivals: Int = 2) {
    if base.isDisturbed || head.isDisturbed { return nil }
    self.init(contest: base, head, rivals)
  }

  /// The same for anything that is ranked by its time.
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

  /// By which factor a row is slower than another, as every output says it: that of the comparison or, where rounds are
  /// too few for one, of what both rows show. Nil where one was not timed.
  static func factor(base: some Contestant, head: some Contestant) -> Double? {
    if let comparison = RowComparison(base: base, head: head) { return comparison.ratio.ratio }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return time / least
  }
}
