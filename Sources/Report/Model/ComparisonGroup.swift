import Foundation
import StorageContract
import StorageStatistics

/// The benchmark results of several backends that did the same work, with a ranking by time. For saves, all backends
/// have at least the group's safety level (the data that survives a crash).
public struct ComparisonGroup: Sendable {
  /// The benchmark cell that all compared results share: the workload, the number of records and the conditions, such
  /// as `4 threads`. The cell has no backend and no durability.
  let work: Cell
  /// The requested durability of the compared saves, such as `durable`. Nil for read-only workloads.
  public let durability: Durability?
  /// The safety level that all compared backends have at least, such as `intact` (a power cut does not corrupt the
  /// store). Nil for read-only workloads. Also nil if none of the backends could run, so that the safety level of their
  /// default settings is unknown.
  public let level: Level?
  /// The machine of all results in this group, as a short hash, if the benchmark run used several machines. Each
  /// machine has separate groups, because times of different machines are never compared. Nil if the run used only one
  /// machine.
  public let machine: String?
  /// The compared results of several backends, one for each backend, in the order of the benchmark plan. Failed results
  /// are included.
  public let rows: [SummaryRow]

  /// The ranking of the compared backends by the times of their results. Results that may not be ranked are left out;
  /// see ``isRanked(_:)``.
  let contest: Ranking<SummaryRow>

  private init(_ work: Cell, _ machine: String?, _ competition: Competition.Members<SummaryRow>) {
    (self.work, self.machine) = (work, machine)
    (durability, level, rows) = competition
    contest = Ranking(rows.filter(Self.isRanked))
  }

  /// The workload of all compared results, such as `save-one`.
  public var workload: Spec { work.workload }
  /// The number of records in the measured stores, which is the same for all compared results.
  public var records: Int { work.records }

  /// Divides the results of a benchmark run into groups that are ranked separately, in the order of the plan. Of groups
  /// that differ only in their safety level, the safest comes first.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    rows.grouped { ($0.backend, $0.durability) = (Spec(id: ""), nil) }.flatMap { work, members in
      Competition.split(members).map { ComparisonGroup(work.cell, work.machine, $0) }
    }
  }

  /// Returns whether a result may be ranked by time. False without a time, for a disturbed measurement, and for a
  /// backend that keeps data only in memory or acknowledges saves before it writes them.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isDisturbed && !row.isFloor && row.level != .volatile && row.typicalTime != nil
  }

  /// Returns whether the backend of a result may be called the fastest. Required are a rank, more than one measuring
  /// process, and an original engine that does the whole operation itself.
  public static func canWin(_ row: SummaryRow) -> Bool { isRanked(row) && !row.isTimedOnce && row.fidelity == .native }

  /// Returns whether the backend of a result has a higher safety level than the comparison requires (``level``).
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// Returns the name of a result's backend for a report, such as `SQLite`. The name ends with `^` if the backend has a
  /// higher safety level than the comparison requires (``level``).
  func name(_ row: SummaryRow) -> String { Phrases.name(row) + (exceeds(row) ? "^" : "") }

  /// The fastest of the compared results, with which all others are compared. Results for which ``canWin(_:)`` is false
  /// are considered only if it is false for all. Nil if no result has a rank.
  public var best: SummaryRow? { contest.best.map { contest.entries[$0].member } }

  /// The compared results that have a rank, the fastest first.
  public var ranking: [SummaryRow] { contest.entries.map(\.member) }

  /// Returns the factor by which a result is slower than ``best``. Nil for a result without a rank.
  func factor(of row: SummaryRow) -> Double? { entry(of: row)?.factor }

  private func entry(of row: SummaryRow) -> Ranking<SummaryRow>.Entry? {
    contest.entries.first { $0.member.cell == row.cell }
  }

  /// The results that are clearly faster than ``best``, but may not be called the fastest. Each is from an imitation of
  /// an engine, or from an operation that this suite emulates.
  public var aheadOfBest: [SummaryRow] {
    guard let best, Self.canWin(best) else { return [] }
    return contest.entries.filter { $0.member.fidelity != .native && $0.comparison?.verdict == .faster }.map(\.member)
  }

  /// The title of a comparison of backends: workload, number of records and durability, such as
  /// `save-one, 10,000 records, durable`. Unusual conditions are included, such as `4 threads`.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// The workload and the number of records as text, such as `save-one, 10,000 records`. Unusual conditions follow,
  /// such as `4 threads`.
  public var task: String { (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ") }

  /// The unusual conditions under which all compared results were measured, as texts such as `4 threads`. In a run on
  /// several machines, the machine is included.
  var shape: [String] { work.conditionWords + (machine.map { ["machine \($0)"] } ?? []) }

  /// The requested durability of the compared saves as text, such as `durable`. For saves with default settings, it is
  /// `as shipped (intact)`, with the safety level in parentheses. Nil for read-only workloads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// Returns the mark that a report shows after a result: `~` if the result is about as fast as ``best``, `?` if the
  /// comparison is inconclusive. Otherwise nil.
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
