import Foundation
import StorageContract
import StorageStatistics

/// What rows compete in: the same work on the same data under the same promise.
///
/// Levels are never mixed: each level that `shipped` rows have is a group of its own.
public struct ComparisonGroup: Sendable {
  /// What is done.
  public let workload: Spec
  /// N.
  public let records: Int
  /// Payload bytes of a record.
  public let recordBytes: Int
  /// Threads at once.
  public let threads: Int
  /// Warm or cold.
  public let cache: CacheState
  /// What was asked; nil for reads.
  public let durability: Durability?
  /// The level that rows are ranked within; nil for reads.
  public let level: Level?
  /// The machine that the rows are of, where a run was merged from several: times of two machines are never ranked
  /// against each other. Nil where the run has one machine.
  public let machine: String?
  /// The rows, whatever became of them, in the plan's order.
  ///
  /// Where a level was asked for, a backend that has it as shipped and was not run again stands here with its
  /// shipped row.
  public let rows: [SummaryRow]

  private struct Key: Hashable {
    var cell: Cell
    var level: Level?
    var machine: String?

    init(_ row: SummaryRow, isMerged: Bool) {
      machine = isMerged ? row.machine : nil
      cell = row.cell
      cell.backend = Spec(id: "")
      // A row that could not be brought to run has no level of its own under `shipped`.
      level = row.cell.durability?.requiredLevel ?? row.level
    }
  }

  /// The groups that rows form, in the order in which they first come up.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    let isMerged = Set(rows.map(\.machine)).count > 1
    let groups = rows.grouped { Key($0, isMerged: isMerged) }
    let rowsOf = Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.members) })
    return groups.map { key, members in
      var members = members
      if let asked = key.cell.durability, let required = asked.requiredLevel {
        var shipped = key
        shipped.cell.durability = .shipped
        shipped.level = required
        let present = Set(members.map(\.cell.backend))
        members += (rowsOf[shipped] ?? []).filter { !present.contains($0.cell.backend) }
      }
      return ComparisonGroup(
        workload: key.cell.workload, records: key.cell.records, recordBytes: key.cell.recordBytes,
        threads: key.cell.threads, cache: key.cell.cache, durability: key.cell.durability, level: key.level,
        machine: key.machine, rows: members)
    }
  }

  /// Whether a row may be ranked: it was timed, is no floor and promises something.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isFloor && row.level != .volatile && row.typicalTime != nil
  }

  /// Whether a row may win: it was ranked by more than one trial, and it is the engine's own doing. What the suite
  /// emulates, or imitates, is shown beside the others.
  public static func canWin(_ row: SummaryRow) -> Bool {
    isRanked(row) && !row.isTimedOnce && row.fidelity == .native
  }

  /// Whether a row promises more than this group asks.
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// The fastest row that may win, or the fastest at all where none may; nil if none is ranked.
  ///
  /// The one with the shortest time, unless rounds show another of them with a smaller factor to it.
  public var best: SummaryRow? {
    let ranked = rows.filter(Self.isRanked)
    let candidates = ranked.contains(where: Self.canWin) ? ranked.filter(Self.canWin) : ranked
    guard let shortest = candidates.min(by: { ($0.typicalTime ?? 0) < ($1.typicalTime ?? 0) }) else { return nil }
    return Self.sorted(candidates, to: shortest).first
  }

  /// The ranked rows, fastest first: in the order of their factors to the best, as these are shown.
  public var ranking: [SummaryRow] {
    guard let best else { return [] }
    return Self.sorted(rows.filter(Self.isRanked), to: best)
  }

  /// Rows in the order of their factors to one of them, which comes before others with the same.
  private static func sorted(_ rows: [SummaryRow], to base: SummaryRow) -> [SummaryRow] {
    let others = rows.filter { $0.cell != base.cell }.map { row in
      (row: row, factor: RowComparison.factor(base: base, head: row) ?? .infinity)
    }.sorted { $0.factor < $1.factor }
    let faster = others.prefix { $0.factor < 1 }
    return faster.map(\.row) + [base] + others.dropFirst(faster.count).map(\.row)
  }

  /// Rows that are clearly faster than the best, but emulated or a lookalike.
  public var aheadOfBest: [SummaryRow] {
    guard let best, Self.canWin(best) else { return [] }
    return ranking.filter { row in
      row.fidelity != .native && RowComparison(base: best, head: row)?.verdict == .faster
    }
  }

  /// `save-one, 10,000 records, durable`, with what differs from 100 bytes, 1 thread and warm.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// ``title`` without the promise.
  public var task: String {
    (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ")
  }

  /// What differs from 100 bytes, 1 thread and warm.
  var shape: [String] {
    var parts: [String] = []
    if recordBytes != 100 { parts.append("\(Quantity.grouped(recordBytes)) bytes each") }
    if threads != 1 { parts.append("\(threads) threads") }
    if cache == .cold { parts.append("cold") }
    if let machine { parts.append("machine \(machine)") }
    return parts
  }

  /// `durable`, or `as shipped (intact)`; nil for reads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// Who wins, as far as the rounds can tell.
  public var contest: ContestResult {
    let rivals = ranking.filter(Self.canWin)
    guard let best, Self.canWin(best) else { return .noContest }
    return ContestResult(ranking: [best] + rivals.filter { $0.cell != best.cell })
  }

  /// What is said of a row that may win against the best: `~` about equal, `?` inconclusive; nil if it is slower, if it
  /// is the best itself, or if the rounds are too few to say anything.
  func mark(of row: SummaryRow) -> String? {
    guard let best, Self.canWin(best), Self.canWin(row), row.cell != best.cell else { return nil }
    switch RowComparison(base: best, head: row, rivals: rows.count(where: Self.canWin))?.verdict {
    case .aboutEqual: return "~"
    // Chosen for its time and its factors; a row that is faster than it all the same leaves the matter open.
    case .inconclusive, .faster: return "?"
    case .slower, nil: return nil
    }
  }
}

/// Who wins a group.
public enum ContestResult: Sendable {
  /// No row was timed, or only one.
  case noContest
  /// Rows have too few rounds in common to tell.
  case undecided
  /// The first rows are the fastest and those that were not shown to be slower; then the next one behind them, if there
  /// is one, and by which factor it is slower than the first.
  case decided(leaders: [Leader], next: (row: SummaryRow, slower: PairedRatio)?)

  /// One of the rows that lead a group.
  public struct Leader: Sendable {
    /// The row.
    public let row: SummaryRow
    /// Whether it was shown to be about equal to the first, as the first is to itself. Else which of the two is faster
    /// is inconclusive.
    public let isAboutEqual: Bool
  }

  /// Names the rows that ``Winner`` decides on, among rows that may win, fastest first.
  init(ranking: [SummaryRow]) {
    func comparison(_ place: Int) -> RowComparison? {
      RowComparison(base: ranking[0], head: ranking[place], rivals: ranking.count)
    }
    switch Winner(among: ranking.count, verdict: { comparison($0)?.verdict }) {
    case .noContest: self = .noContest
    case .undecided: self = .undecided
    case .decided(let leaders, let next):
      self = .decided(
        leaders: leaders.map { place in
          Leader(row: ranking[place], isAboutEqual: place == 0 || comparison(place)?.verdict == .aboutEqual)
        },
        next: next.flatMap { place in comparison(place).map { (ranking[place], $0.ratio) } })
    }
  }
}

extension [ContestResult.Leader] {
  /// Whether all were shown to be about equal to the first.
  var areAboutEqual: Bool { allSatisfy(\.isAboutEqual) }
}

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
    let rounds = base.rounds.keys.filter { head.rounds[$0] != nil }.sorted()
    let pairs = rounds.compactMap { round -> (base: RoundTiming, head: RoundTiming)? in
      guard let left = base.rounds[round], let right = head.rounds[round] else { return nil }
      return (left, right)
    }
    let isMixed = pairs.contains { $0.base.isBatched != $0.head.isBatched }
    let times = pairs.map { isMixed ? ($0.base.mean, $0.head.mean) : ($0.base.typical, $0.head.typical) }
    guard let ratio = PairedRatio(pairs: times), ratio.interval != nil else { return nil }
    self.ratio = ratio
    let difference = Quantile.median(of: times.map { abs($0.1 - $0.0) }.sorted()) ?? 0
    let resolution = pairs.map { max($0.base.resolution, $0.head.resolution) }.max() ?? 0
    verdict = RowVerdict(ratio, rivals: rivals, isMeasurable: difference > resolution)
  }

  /// By which factor a row is slower than another, as every output says it: that of the comparison or, where rounds are
  /// too few for one, of what both rows show. Nil where one was not timed.
  static func factor(base: SummaryRow, head: SummaryRow) -> Double? {
    if let comparison = RowComparison(base: base, head: head) { return comparison.ratio.ratio }
    guard let time = head.typicalTime, let least = base.typicalTime, least > 0 else { return nil }
    return time / least
  }
}
