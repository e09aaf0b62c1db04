import StorageStatistics

/// A participant in a ranking by time: a benchmark result, or a backend.
protocol Contestant: Sendable {
  /// The typical time of an operation in nanoseconds, by which this participant is ranked. Nil if nothing was timed.
  var typicalTime: Double? { get }
  var rounds: Rounds { get }
  /// Whether this participant may be called the fastest. Emulated backends, for example, may not.
  var canWin: Bool { get }
}

/// A ranking of benchmark results or backends by time.
struct Ranking<Member: Contestant>: Sendable {
  struct Entry: Sendable {
    let member: Member
    /// The factor by which this participant is slower than the best participant of the ranking; 1 for the best
    /// participant.
    let factor: Double
    /// The comparison with the best participant of the ranking. Nil for the best participant, and if too few rounds
    /// were measured.
    let comparison: RowComparison?

    var isAboutEqual: Bool { factor == 1 && comparison == nil || comparison?.verdict == .aboutEqual }
  }

  /// The participants of the ranking that were timed, the fastest first.
  let entries: [Entry]
  /// The index of the fastest participant in ``entries``. Participants for which ``Contestant/canWin`` is false count
  /// only if there are no others. Nil if nothing was timed.
  let best: Int?
  /// The outcome of the ranking: the fastest participants, such as backends, or the reason why none is named.
  let outcome: RankingOutcome
  /// The backends or results that share the first place, and the first clearly slower one (`next`). Nil if no winner
  /// can be named.
  private(set) var decision: (leaders: [Entry], next: (member: Member, slower: PairedRatio)?)?

  init(_ members: [Member]) {
    let timed = members.filter { $0.typicalTime != nil }
    let winners = timed.filter { $0.canWin }
    let candidates = winners.isEmpty ? timed : winners
    let byTime = candidates.indices.min { (candidates[$0].typicalTime ?? 0) < (candidates[$1].typicalTime ?? 0) }
    guard let shortest = byTime else {
      (entries, best, outcome) = ([], nil, .noContest)
      return
    }
    let first = Self.order(candidates, to: shortest)[0].position
    // `base` is the index of the best contestant in `timed`.
    let base = winners.isEmpty ? first : timed.indices.filter { timed[$0].canWin }[first]
    let order = Self.order(timed, to: base)
    let entries = order.map { position, factor in
      let rivals = timed[position].canWin ? max(2, winners.count) : 2
      let comparison =
        position == base ? nil : RowComparison(contest: timed[base], timed[position], rivals: rivals)
      return Entry(member: timed[position], factor: factor, comparison: comparison)
    }
    let best = order.firstIndex { $0.position == base } ?? 0
    let others = entries.indices.filter { $0 != best && entries[$0].member.canWin }
    let rivals = [entries[best]] + others.map { entries[$0] }
    (self.entries, self.best) = (entries, best)
    outcome = winners.isEmpty ? .noContest : RankingOutcome(among: rivals.count) { rivals[$0].comparison?.verdict }
    if case .decided(let leaders, let next) = outcome {
      let slower = next.flatMap { position in rivals[position].comparison.map { (rivals[position].member, $0.ratio) } }
      decision = (Array(rivals[leaders]), slower)
    }
  }

  private static func order(_ members: [Member], to base: Int) -> [(position: Int, factor: Double)] {
    let others = members.indices.filter { $0 != base }.map { position in
      let factor = RowComparison.factor(base: members[base], head: members[position])
      return (position: position, factor: factor?.value ?? .infinity)
    }.sorted { $0.factor < $1.factor }
    let faster = others.prefix { $0.factor < 1 }
    return faster + [(base, 1)] + others.dropFirst(faster.count)
  }
}

/// The comparison of the times of two results, `base` and `head`, round by round.
public struct RowComparison: Sendable {
  /// The factor by which `head` is slower than `base`: the median of the ratios of all rounds (repetitions).
  public let ratio: PairedRatio
  /// The verdict on `head`, compared with `base`: slower, faster, about equal or inconclusive.
  public let verdict: RowVerdict
  private let rivals: Int

  /// The smallest difference between two times that a comparison like this one detects with 80 % probability, as a
  /// share: 0.2 is 20 %. Nil if unknown.
  public var smallestDifference: Double? { SmallestDifference.share(ratio, rivals: rivals) }

  /// Compares two benchmark results by their times in the rounds (repetitions) that both results have.
  ///
  /// - Parameters:
  ///   - base: The result with which `head` is compared.
  ///   - head: The result to judge.
  ///   - rivals: The number of results among which `base` is the fastest; 2 if `base` was not chosen by its time.
  /// - Returns: Nil if other programs disturbed a result, or for fewer than six common rounds. If each round is a whole
  ///   run, two are enough.
  public init?(base: SummaryRow, head: SummaryRow, rivals: Int = 2) {
    if base.isDisturbed || head.isDisturbed { return nil }
    self.init(contest: base, head, rivals: rivals)
  }

  /// Compares two participants of a ranking, even if other programs disturbed one of them.
  init?(contest base: some Contestant, _ head: some Contestant, rivals: Int = 2) {
    let pairs = base.rounds.compactMap { round, left -> (base: RoundTiming, head: RoundTiming)? in
      head.rounds[round].map { (left, $0) }
    }
    let isMixed = pairs.contains { $0.base.isBatched != $0.head.isBatched }
    let times = pairs.map { isMixed ? ($0.base.mean, $0.head.mean) : ($0.base.typical, $0.head.typical) }
    guard let ratio = PairedRatio(pairs: times, unit: base.rounds.unit), ratio.interval != nil else { return nil }
    self.rivals = rivals
    self.ratio = ratio
    let difference = Quantile.median(of: times.map { abs($0.1 - $0.0) }.sorted()) ?? 0
    let resolution = pairs.map { max($0.base.resolution, $0.head.resolution) }.max() ?? 0
    verdict = RowVerdict(ratio, rivals: rivals, isMeasurable: difference > resolution)
  }

  /// Returns the factor by which `head` is slower than `base`, also for disturbed results, and whether it is the median
  /// of the ratios of all rounds (repetitions), and not a ratio of medians. Nil if one of the two was not timed.
  static func factor(base: some Contestant, head: some Contestant) -> (value: Double, isByRound: Bool)? {
    if let comparison = RowComparison(contest: base, head) { return (comparison.ratio.ratio, true) }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return (time / least, false)
  }
}
