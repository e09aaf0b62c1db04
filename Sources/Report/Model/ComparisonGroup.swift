import Foundation
import StorageContract
import StorageStatistics

/// What rows compete in: the same work on the same data under the same promise.
///
/// Everything that promises at least the level competes; see `Competition`.
public struct ComparisonGroup: Sendable {
  /// The work: a cell without a backend and a durability.
  let work: Cell
  /// What was asked; nil for reads.
  public let durability: Durability?
  /// The level that all rows promise at least; nil for reads.
  public let level: Level?
  /// The machine that the rows are of, where a run was merged from several: times of two machines are never ranked
  /// against each other. Nil where the run has one machine.
  public let machine: String?
  /// The rows, whatever became of them, in the plan's order.
  public let rows: [SummaryRow]

  /// Who wins among the rows that are ranked, as far as the rounds can tell.
  let contest: Ranking<SummaryRow>

  private init(_ work: Cell, _ machine: String?, _ competition: Competition.Members<SummaryRow>) {
    (self.work, self.machine) = (work, machine)
    (durability, level, rows) = competition
    contest = Ranking(rows.filter(Self.isRanked))
  }

  /// What is done.
  public var workload: Spec { work.workload }
  /// N.
  public var records: Int { work.records }

  /// The groups that rows form: the work in the order in which it first comes up, then what was asked, then levels.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    struct Work: Hashable {
      var cell: Cell
      var machine: String?
    }
    let isMerged = Set(rows.map(\.machine)).count > 1
    let works = rows.grouped { row in
      var work = Work(cell: row.cell, machine: isMerged ? row.machine : nil)
      work.cell.backend = Spec(id: "")
      work.cell.durability = nil
      return work
    }
    return works.flatMap { work, members in
      Competition.split(members).map { ComparisonGroup(work.cell, work.machine, $0) }
    }
  }

  /// Whether a row may be ranked: it was timed, undisturbed, is no floor and promises something.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isDisturbed && !row.isFloor && row.level != .volatile && row.typicalTime != nil
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

  /// A row's name as this group shows it: with `^` where it promises more than the level it is ranked at.
  func name(_ row: SummaryRow) -> String { Phrases.name(row) + (exceeds(row) ? "^" : "") }

  /// The fastest row that may win, or the fastest at all where none may; nil if none is ranked. See `Ranking.best`.
  public var best: SummaryRow? { contest.best.map { contest.entries[$0].member } }

  /// The ranked rows, fastest first: in the order of their factors to the best, as these are shown.
  public var ranking: [SummaryRow] { contest.entries.map(\.member) }

  /// By which factor a ranked row is slower than the best; nil for others.
  func factor(of row: SummaryRow) -> Double? { entry(of: row)?.factor }

  private func entry(of row: SummaryRow) -> Ranking<SummaryRow>.Entry? {
    contest.entries.first { $0.member.cell == row.cell }
  }

  /// Rows that are clearly faster than the best, but emulated or a work-alike.
  public var aheadOfBest: [SummaryRow] {
    guard let best, Self.canWin(best) else { return [] }
    return contest.entries.filter { $0.member.fidelity != .native && $0.comparison?.verdict == .faster }.map(\.member)
  }

  /// `save-one, 10,000 records, durable`, with what differs from 100 bytes, 1 thread and so on.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// ``title`` without the promise.
  public var task: String {
    (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ")
  }

  /// What differs from 100 bytes, 1 thread and so on, and the machine where there are several.
  var shape: [String] { work.conditionWords + (machine.map { ["machine \($0)"] } ?? []) }

  /// `durable`, or `as shipped (intact)`; nil for reads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// What is said of a row that may win against the best: `~` about equal, `?` inconclusive; nil if it is slower, if it
  /// is the best itself, or if the rounds are too few to say anything.
  func mark(of row: SummaryRow) -> String? {
    guard let best, Self.canWin(best), Self.canWin(row) else { return nil }
    switch entry(of: row)?.comparison?.verdict {
    case .aboutEqual: return "~"
    // Chosen for its time and its factors; a row that is faster than it all the same leaves the matter open.
    case .inconclusive, .faster: return "?"
    case .slower, nil: return nil
    }
  }
}

extension SummaryRow: Contestant {
  var canWin: Bool { ComparisonGroup.canWin(self) }
}
