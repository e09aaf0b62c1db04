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

  /// The ranked rows, fastest first: in the order of their factors to the one with the shortest time, so that no row that
  /// comes later is shown with a smaller factor.
  public var ranking: [SummaryRow] {
    let ranked = rows.filter(Self.isRanked).sorted { ($0.typicalTime ?? 0) < ($1.typicalTime ?? 0) }
    guard let shortest = ranked.first else { return [] }
    return ranked.map { ($0, RowComparison.factor(base: shortest, head: $0) ?? .infinity) }.sorted { $0.1 < $1.1 }
      .map(\.0)
  }

  /// The fastest row that may win, or the fastest at all where none may; nil if none is ranked.
  public var best: SummaryRow? { ranking.first(where: Self.canWin) ?? ranking.first }

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
  public var contest: ContestResult { ContestResult(ranking: ranking.filter(Self.canWin)) }
}

/// Who wins a group.
public enum ContestResult: Sendable {
  /// No row was timed, or only one.
  case noContest
  /// Rows have too few rounds in common to tell.
  case undecided
  /// The first rows are the winner and those that tie with it; then the next one behind them, if there is one, and
  /// by which factor it is slower than the first.
  case decided(leaders: [SummaryRow], next: (row: SummaryRow, slower: PairedRatio)?)

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
        leaders: Array(ranking[leaders]),
        next: next.flatMap { place in comparison(place).map { (ranking[place], $0.ratio) } })
    }
  }
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
