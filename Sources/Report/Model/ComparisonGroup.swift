import Foundation
import StorageContract
import StorageStatistics

/// A group of rows that are ranked: the same work on the same data, at least as safe as a level; see `Competition`.
public struct ComparisonGroup: Sendable {
  /// The work of all rows: a cell without backend and durability.
  let work: Cell
  /// The durability requested for the group. Nil for reads.
  public let durability: Durability?
  /// The safety level that each row guarantees or exceeds. Nil for reads.
  public let level: Level?
  /// The machine of the rows if a run was merged from several, since times of two machines are never ranked against
  /// each other. Nil if the run has one machine.
  public let machine: String?
  /// The rows of the group with any status, in the plan's order.
  public let rows: [SummaryRow]

  /// The ranking of the rows that may be ranked, see ``isRanked(_:)``.
  let contest: Ranking<SummaryRow>

  private init(_ work: Cell, _ machine: String?, _ competition: Competition.Members<SummaryRow>) {
    (self.work, self.machine) = (work, machine)
    (durability, level, rows) = competition
    contest = Ranking(rows.filter(Self.isRanked))
  }

  /// The workload of all rows.
  public var workload: Spec { work.workload }
  /// The number of records in the store.
  public var records: Int { work.records }

  /// Returns the groups of rows: the work in the order of first occurrence, then the requested durability, then levels.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    rows.grouped { ($0.backend, $0.durability) = (Spec(id: ""), nil) }.flatMap { work, members in
      Competition.split(members).map { ComparisonGroup(work.cell, work.machine, $0) }
    }
  }

  /// Returns whether a row may be ranked: it was timed, undisturbed, and is neither a lower bound nor volatile.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isDisturbed && !row.isFloor && row.level != .volatile && row.typicalTime != nil
  }

  /// Returns whether a row may win: it is ranked, was timed more than once, and the engine itself does the work.
  /// Emulated rows and work-alikes are only shown beside the others.
  public static func canWin(_ row: SummaryRow) -> Bool {
    isRanked(row) && !row.isTimedOnce && row.fidelity == .native
  }

  /// Returns whether a row is safer than this group requires.
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// Returns a row's name, with `^` if the row is safer than required.
  func name(_ row: SummaryRow) -> String { Phrases.name(row) + (exceeds(row) ? "^" : "") }

  /// The fastest row that may win, or the fastest of all if none may. Nil without ranked rows. See `Ranking.best`.
  public var best: SummaryRow? { contest.best.map { contest.entries[$0].member } }

  /// The ranked rows, fastest first, in the order of their factors to the best.
  public var ranking: [SummaryRow] { contest.entries.map(\.member) }

  /// Returns the factor by which a ranked row is slower than the best. Nil for other rows.
  func factor(of row: SummaryRow) -> Double? { entry(of: row)?.factor }

  private func entry(of row: SummaryRow) -> Ranking<SummaryRow>.Entry? {
    contest.entries.first { $0.member.cell == row.cell }
  }

  /// Rows that are clearly faster than the best, but emulated or a work-alike.
  public var aheadOfBest: [SummaryRow] {
    guard let best, Self.canWin(best) else { return [] }
    return contest.entries.filter { $0.member.fidelity != .native && $0.comparison?.verdict == .faster }.map(\.member)
  }

  /// The title of the group with the conditions that differ from the defaults: `save-one, 10,000 records, durable`.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// The title of the group without the safety level: `save-one, 10,000 records`.
  public var task: String {
    (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ")
  }

  /// The conditions of the group that differ from the defaults, and the machine if there are several.
  var shape: [String] { work.conditionWords + (machine.map { ["machine \($0)"] } ?? []) }

  /// The safety level as in the title: `durable`, or `as shipped (intact)`. Nil for reads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// Returns the mark of a row that may win against the best: `~` about equal, `?` inconclusive. Nil for a slower row,
  /// for the best itself, and with too few rounds.
  func mark(of row: SummaryRow) -> String? {
    guard let best, Self.canWin(best), Self.canWin(row) else { return nil }
    switch entry(of: row)?.comparison?.verdict {
    case .aboutEqual: return "~"
    // The best is chosen by its time and factors. If another row is faster nevertheless, the result is inconclusive.
    case .inconclusive, .faster: return "?"
    case .slower, nil: return nil
    }
  }
}

extension SummaryRow: Contestant {
  var canWin: Bool { ComparisonGroup.canWin(self) }
}
