import Foundation
import StorageContract
import StorageStatistics

/// The results of several backends for one workload and size at one minimum safety level, ranked by time.
public struct ComparisonGroup: Sendable {
  /// The workload, number of records and conditions that all results share. The backend is empty and the durability
  /// nil, because results may differ in both.
  let work: Cell
  /// The requested durability of the compared saves, such as `durable`. Nil for a workload that only reads.
  public let durability: Durability?
  /// The minimum safety level of the compared backends, such as `intact`. Nil if there is none, as for a workload that
  /// only reads.
  public let level: Level?
  /// A short hash of the machine of all results. Nil if the benchmark run used only one machine.
  public let machine: String?
  /// The compared results, one for each backend, in the order of the plan. Failed results are included.
  public let rows: [SummaryRow]

  /// The results for which ``isRanked(_:)`` is true, ranked by time.
  let contest: Ranking<SummaryRow>

  /// The workload of all compared results, such as `save-one`.
  public var workload: Spec { work.workload }
  /// The number of records in each of the compared stores.
  public var records: Int { work.records }

  /// Divides results into groups that are ranked separately. Of groups that differ only in safety level, the safest is
  /// first.
  public static func all(in rows: [SummaryRow]) -> [ComparisonGroup] {
    rows.grouped(sharing: \.work).flatMap { work, members in
      Competition.split(members).map { durability, level, rows in
        ComparisonGroup(
          work: work.cell, durability: durability, level: level, machine: work.machine, rows: rows,
          contest: Ranking(rows.filter(isRanked)))
      }
    }
  }

  /// Returns whether a result may be ranked by time. Not ranked are untimed or disturbed results, and backends that
  /// acknowledge saves that are in no file.
  public static func isRanked(_ row: SummaryRow) -> Bool {
    row.status == .ok && !row.isDisturbed && !row.isFloor && row.level != .volatile && row.typicalTime != nil
  }

  /// Returns whether the backend of a result has a higher safety level than the comparison requires (``level``).
  public func exceeds(_ row: SummaryRow) -> Bool {
    guard let level, let has = row.level else { return false }
    return has > level
  }

  /// Returns the name of a result's backend, with `^` if the backend is safer than ``level`` requires.
  func name(_ row: SummaryRow) -> String { Phrases.name(row) + (exceeds(row) ? "^" : "") }

  /// The fastest result. Results for which ``SummaryRow/canWin`` is true are preferred. Nil if no result is ranked.
  public var best: SummaryRow? { contest.best.map { contest.entries[$0].member } }

  /// The compared results that have a rank, the fastest first.
  public var ranking: [SummaryRow] { contest.entries.map(\.member) }

  /// Returns the factor by which a result is slower than ``best``. Nil for a result without a rank.
  func factor(of row: SummaryRow) -> Double? { entry(of: row)?.factor }

  /// Returns whether a result is one of the fastest, within the accuracy of the measurement.
  func isLeading(_ row: SummaryRow) -> Bool {
    contest.decision?.leaders.contains { $0.member.cell == row.cell } == true
  }

  private func entry(of row: SummaryRow) -> Ranking<SummaryRow>.Entry? {
    contest.entries.first { $0.member.cell == row.cell }
  }

  /// The results of imitated or emulated engines that are clearly faster than ``best``, the fastest result of a real
  /// engine.
  public var aheadOfBest: [SummaryRow] {
    guard let best, best.canWin else { return [] }
    return contest.entries.filter { $0.member.fidelity != .native && $0.comparison?.verdict == .faster }.map(\.member)
  }

  /// The title of the comparison: `save-one, 10,000 records, durable`. Conditions that are not the default, such as
  /// `4 threads`, are included.
  public var title: String { ([task] + [promise].compactMap { $0 }).joined(separator: ", ") }

  /// The workload and number of records as text: `save-one, 10,000 records`. Conditions that are not the default, such
  /// as `4 threads`, follow.
  public var task: String { (["\(workload)", "\(Quantity.grouped(records)) records"] + shape).joined(separator: ", ") }

  /// The conditions of the compared benchmarks that are not the default, as texts such as `4 threads`. In a run on
  /// several machines, the machine is included.
  var shape: [String] { work.conditionWords + (machine.map { ["machine \($0)"] } ?? []) }

  /// The durability of the compared saves as text: `durable`, or `as shipped (intact)` for default settings. Nil for a
  /// workload that only reads.
  public var promise: String? {
    guard let durability else { return nil }
    if durability != .shipped { return durability.rawValue }
    return level.map { "as shipped (\($0.rawValue))" } ?? "as shipped"
  }

  /// Returns the mark of a result in reports: `~` for about as fast as ``best``, `?` for inconclusive, otherwise nil.
  func mark(of row: SummaryRow) -> String? {
    guard let best, best.canWin, row.canWin else { return nil }
    switch entry(of: row)?.comparison?.verdict {
    case .aboutEqual: return "~"
    // The best result is not chosen by this comparison alone. A faster result therefore counts as inconclusive.
    case .inconclusive, .faster: return "?"
    case .slower, nil: return nil
    }
  }
}

extension SummaryRow: Contestant {
  /// Whether a result may be called the fastest. The result must be ranked, timed by several processes, and of a real
  /// engine (no imitation or emulation).
  public var canWin: Bool { ComparisonGroup.isRanked(self) && !isTimedOnce && fidelity == .native }
}
