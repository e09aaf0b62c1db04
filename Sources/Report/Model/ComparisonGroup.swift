import Foundation
import StorageContract
import StorageStatistics

/// A group of results that may be ranked by time, one for each backend. All have the same workload on equal data. All
/// have at least the safety level of the group (what survives a crash); see `Competition`.
public struct ComparisonGroup: Sendable {
  /// The properties that all results of the group share: workload, number of records and conditions. The backend is
  /// empty and the durability nil.
  let work: Cell
  /// The durability that was requested for the saves of the group, such as `durable`. Nil for reads.
  public let durability: Durability?
  /// The safety level that each result of the group has or exceeds. Nil for reads.
  public let level: Level?
  /// The machine on which the results of the group were measured. Nil if the run has one machine. In a run merged from
  /// several machines, times of different machines are never compared.
  public let machine: String?
  /// The results of the group, one for each backend, in the order of the plan. Some may have failed.
  public let rows: [SummaryRow]

  /// The ranking by time of those results for which ``isRanked(_:)`` is true.
  let contest: Ranking<SummaryRow>

  private init(_ work: Cell, _ machine: String?, _ competition: Competition.Members<SummaryRow>) {
    (self.work, self.machine) = (work, machine)
    (durability, level, rows) = competition
    contest = Ranking(rows.filter(Self.isRanked))
  }

  /// The workload of all results in the group.
  public var workload: Spec { work.workload }
  /// The number of records in the store.
  public var records: Int { work.records }

  /// Groups the results of a run. The groups are sorted by first occurrence of the workload and size, then by requested
  /// durability, then by safety level.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    rows.grouped { ($0.backend, $0.durability) = (Spec(id: ""), nil) }.flatMap { work, members in
      Competition.split(members).map { ComparisonGroup(work.cell, work.machine, $0) }
    }
  }

  /// Returns whether a result may be ranked. The result must be timed without disturbance, and its backend must be a
  /// real store. Two kinds of backends are never ranked: a lower bound that no store can beat, which is shown only for
  /// comparison, and a store that acknowledges saves before it writes them.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isDisturbed && !row.isFloor && row.level != .volatile && row.typicalTime != nil
  }

  /// Returns whether the backend of a result may be called the fastest. The result must have a rank and be timed more
  /// than once. The engine must be the original one, neither emulated nor imitated.
  public static func canWin(_ row: SummaryRow) -> Bool { isRanked(row) && !row.isTimedOnce && row.fidelity == .native }

  /// Returns whether the backend of a result is safer than the level of this group.
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// Returns the name of the backend of a result, with `^` if it is safer than the level of this group.
  func name(_ row: SummaryRow) -> String { Phrases.name(row) + (exceeds(row) ? "^" : "") }

  /// The fastest of the results that may win (see ``canWin(_:)``) or, if none may, the fastest ranked result. Nil if no
  /// result is ranked. See `Ranking.best`.
  public var best: SummaryRow? { contest.best.map { contest.entries[$0].member } }

  /// The ranked results, sorted by the factor to ``best`` (their time divided by that of the best), the fastest first.
  public var ranking: [SummaryRow] { contest.entries.map(\.member) }

  /// Returns the factor by which a result is slower than ``best``. Nil for a result without a rank.
  func factor(of row: SummaryRow) -> Double? { entry(of: row)?.factor }

  private func entry(of row: SummaryRow) -> Ranking<SummaryRow>.Entry? {
    contest.entries.first { $0.member.cell == row.cell }
  }

  /// The results that are clearly faster than ``best`` but may not win: those of emulated backends and of imitations
  /// (work-alikes).
  public var aheadOfBest: [SummaryRow] {
    guard let best, Self.canWin(best) else { return [] }
    return contest.entries.filter { $0.member.fidelity != .native && $0.comparison?.verdict == .faster }.map(\.member)
  }

  /// The title of the group: workload, number of records and durability, such as `save-one, 10,000 records, durable`.
  /// Conditions are added if they differ from the defaults.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// The workload and size of the group: `save-one, 10,000 records`. Conditions other than the defaults are added.
  public var task: String { (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ") }

  /// The conditions of the group that differ from the defaults, such as `4 threads`. The machine is added if the run
  /// has several.
  var shape: [String] { work.conditionWords + (machine.map { ["machine \($0)"] } ?? []) }

  /// The requested durability of the group, as text for ``title``, such as `durable`. For default settings, the text
  /// includes the safety level: `as shipped (intact)`. Nil for reads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// Returns the symbol for the time of a result compared with ``best``: `~` if about equal, `?` if inconclusive. Nil
  /// if slower or not compared.
  func mark(of row: SummaryRow) -> String? {
    guard let best, Self.canWin(best), Self.canWin(row) else { return nil }
    switch entry(of: row)?.comparison?.verdict {
    case .aboutEqual: return "~"
    // The comparison may show a result to be faster than the best one, because the best is not chosen by this
    // comparison alone. Then the symbol is that of an inconclusive result.
    case .inconclusive, .faster: return "?"
    case .slower, nil: return nil
    }
  }
}

extension SummaryRow: Contestant {
  var canWin: Bool { ComparisonGroup.canWin(self) }
}
