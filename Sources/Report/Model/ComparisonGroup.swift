import Foundation
import StorageContract
import StorageStatistics

/// What rows compete in: the same work on the same data under the same promise.
///
/// Levels are never mixed: each level that `shipped` rows have is a question of its own.
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

  /// The questions that rows answer, in the order in which they first come up.
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

  /// Whether a row promises more than this question asks.
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// The ranked rows, fastest first.
  public var ranking: [SummaryRow] {
    rows.filter(Self.isRanked).sorted { ($0.typicalTime ?? 0) < ($1.typicalTime ?? 0) }
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
  public var outcome: Outcome { Outcome(ranking: ranking.filter(Self.canWin)) }
}

/// Who wins a question.
public enum Outcome: Sendable {
  /// No row was timed, or only one.
  case noContest
  /// Rows have too few rounds in common to tell.
  case undecided
  /// The first rows are the winner and those that tie with it; then the next one behind them, if there is one, and
  /// by which factor it is slower than the first.
  case decided(leaders: [SummaryRow], next: (row: SummaryRow, slower: PairedRatio)?)

  /// Decides among rows that may win, fastest first.
  init(ranking: [SummaryRow]) {
    guard ranking.count >= 2, let best = ranking.first else {
      self = .noContest
      return
    }
    var leaders = [best]
    for row in ranking.dropFirst() {
      guard let comparison = RowComparison(base: best, head: row, rivals: ranking.count) else {
        self = .undecided
        return
      }
      if comparison.verdict == .same {
        leaders.append(row)
      } else if comparison.verdict == .slower {
        self = .decided(leaders: leaders, next: (row, comparison.ratio))
        return
      } else {
        // The round-wise comparison contradicts the order of the medians: nobody can be called faster.
        leaders.append(row)
      }
    }
    self = .decided(leaders: leaders, next: nil)
  }
}

/// Two rows compared round by round.
public struct RowComparison: Sendable {
  /// What the comparison says of the head.
  public enum Verdict: Sendable, Equatable {
    /// Slower, faster: the rounds agree, and the difference is worth speaking of.
    case slower, faster
    /// Anything else.
    case same
  }

  /// The factor by which the head is slower, from the lower quartiles of each round.
  public let ratio: PairedRatio
  /// See ``Verdict``.
  public let verdict: Verdict

  /// The share below which a difference is not worth speaking of.
  public static let margin = 0.05

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
    guard let ratio = PairedRatio(pairs: pairs.map { ($0.base.p25, $0.head.p25) }),
      ratio.interval != nil
    else { return nil }
    self.ratio = ratio
    let difference = Quantile.median(of: pairs.map { abs($0.head.p25 - $0.base.p25) }.sorted()) ?? 0
    let resolution = pairs.map { max($0.base.resolution, $0.head.resolution) }.max() ?? 0
    verdict = difference <= resolution ? .same : Self.verdict(ratio, rivals: rivals)
  }

  /// What a ratio with its interval says of the head.
  ///
  /// One is called slower only where the interval of the ratio lies away from 1 by a share of its own width: by half
  /// of it for two given rows, by three quarters where the base is the fastest of several, since being picked makes
  /// it look better than it is. An interval on one side of 1 would not do: of seven backends of equal speed, the best
  /// of six rounds then beats another one in 14 to 23 % of the questions, of two in 2 to 4 %. With the shares it is
  /// 0.7 % and 0.2 % at most (simulated with normal noise of 5 and 10 %, and with bursts).
  ///
  /// - Parameter rivals: How many the base is the fastest of; 2 for a pair that was not chosen by its times.
  static func verdict(_ ratio: PairedRatio, rivals: Int) -> Verdict {
    guard let interval = ratio.interval else { return .same }
    let distance = (rivals > 2 ? 0.75 : 0.5) * log(interval.high / interval.low)
    if log(interval.low) > distance, ratio.ratio > 1 + margin { return .slower }
    if -log(interval.high) > distance, ratio.ratio < 1 / (1 + margin) { return .faster }
    return .same
  }
}
