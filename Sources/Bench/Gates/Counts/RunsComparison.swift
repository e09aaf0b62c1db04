import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// A comparison of two runs for the command `compare`. Numbers such as writes and syncs are judged; times are only
/// shown.
struct RunsComparison {
  let base: ReportModel
  let head: ReportModel
  let tolerances: Tolerances

  /// Compares an old run (the base) with a new run (the head): numbers such as writes and syncs, and times.
  ///
  /// - Throws: `UsageError` if the runs cannot be compared, or for an impossible 0, such as a time of 0.
  func comparison() throws -> Comparison {
    try checkPlans()
    let rows = Dictionary(head.rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    for row in base.rows where rows[row.cell] == nil { throw lacks(head, row.cell.name, base) }
    let judgements = try base.rows.map { before in
      try judge(before, rows[before.cell] ?? before)
    }
    let known = Set(base.rows.map(\.cell))
    let new = head.rows.filter { !known.contains($0.cell) }
    let looks = head.rows.compactMap { row in row.appearance.map { ("\(row.cell.backend)", $0) } }
    return Comparison(
      subject: .runs, base: side(base), head: side(head), judgements: judgements,
      looks: looks.isEmpty ? nil : Dictionary(looks, uniquingKeysWith: { first, _ in first }),
      notes: notes(new))
  }

  private func side(_ model: ReportModel) -> Comparison.Side {
    Comparison.Side(name: model.directory.name, machine: model.environment.machine)
  }

  private func checkPlans() throws {
    let (left, right) = (base.directory.url.path, head.directory.url.path)
    for model in [base, head] where model.trials == 0 {
      throw UsageError("\(model.directory.url.path) has no trial: trials.jsonl is empty; finish it with 'run --resume'")
    }
    let facts: [(String, String, String)] = [
      ("seed", "\(base.plan.seed)", "\(head.plan.seed)"), ("payload", base.plan.payload, head.plan.payload),
      ("dataset", base.plan.datasetHash ?? "none", head.plan.datasetHash ?? "none"),
    ]
    for (name, before, now) in facts where before != now {
      throw UsageError(
        "\(left) has \(name) \(before) and \(right) has \(now): they did different work; run both with the same --\(name)"
      )
    }
  }

  private func lacks(_ model: ReportModel, _ cell: String, _ other: ReportModel) -> UsageError {
    UsageError(
      "\(model.directory.url.path) lacks \(cell), which \(other.directory.url.path) has; "
        + "run the same cells, or finish it with 'run --resume'")
  }

  private func judge(_ before: SummaryRow, _ now: SummaryRow) throws -> Judgement {
    let name = before.cell.name
    func judged(_ verdict: ChangeVerdict, _ note: String) -> Judgement {
      Judgement(name: name, verdict: verdict, note: note)
    }
    switch (before.status, now.status) {
    case (_, .failed): return judged(.failed, now.note)
    case (.failed, _): return judged(.unmeasurable, "the base failed: \(before.note)")
    case (.ok, .ok): break
    case (.ok, _): throw lacks(head, "\(name) (\(now.status.rawValue): \(now.note))", base)
    case (_, .ok): return judged(.unmeasurable, "the base has none (\(before.note))")
    // A benchmark that is not available in either run needs no verdict.
    case (.notAvailable, .notAvailable): return judged(.notAvailable, now.note)
    default: return judged(.unmeasurable, "the base: \(before.note); the head: \(now.note)")
    }
    var judgement = Judgement(name: name, verdict: .same)
    judgement.time = time(before, now)
    try judgeCounts(before, now, &judgement)
    return judgement
  }

  private func judgeCounts(_ before: SummaryRow, _ now: SummaryRow, _ judgement: inout Judgement) throws {
    for (model, row) in [(base, before), (head, now)] {
      if let cost = row.cost, let zero = cost.impossibleZero(at: row.level) {
        throw UsageError(
          "\(model.directory.url.path): \(row.cell.name) has a count of 0 \(zero), which is impossible; run it again")
      }
      if row.rounds.values.contains(where: { $0.typical <= 0 }) {
        throw UsageError(
          "\(model.directory.url.path): an operation of \(row.cell.name) takes no time, which is impossible; run it again"
        )
      }
    }
    func obstacle(_ text: String) {
      judgement.verdict = .unmeasurable
      judgement.note = text
    }
    guard let old = before.cost else {
      if now.cost == nil { return obstacle("nothing was counted; finish both runs with 'run --resume'") }
      throw lacks(base, "the counts of \(before.cell.name)", head)
    }
    guard let new = now.cost else { throw lacks(head, "the counts of \(before.cell.name)", base) }
    guard old.countedOperations == new.countedOperations else {
      return obstacle("counted over \(old.countedOperations) and \(new.countedOperations) operations")
    }
    for metric in Measure.compared {
      if let change = metric.change(from: old, to: new, tolerance: tolerances.share(metric, in: now)) {
        judgement.counts.append(change)
      } else if metric.isOneSided(old, new) {
        // For example, a build with a sanitizer counts no allocations.
        obstacle("\(metric.name) was counted in one run only")
      }
    }
    if before.streamHash != now.streamHash { return obstacle("the workload itself has changed") }
    if before.engineVersion != now.engineVersion {
      return obstacle("\(before.engineVersion) before, \(now.engineVersion) now")
    }
    if judgement.counts.isEmpty { return obstacle("no count is known on both sides") }
    judgement.verdict = judgement.counts.reduce(judgement.verdict) { $0.worse($1.verdict) }
  }

  /// Returns the change of an operation's typical time; nil if the two times cannot be compared.
  private func time(_ before: SummaryRow, _ now: SummaryRow) -> TimeChange? {
    guard before.machine == now.machine, !before.isDisturbed, !now.isDisturbed, let old = before.typicalTime,
      let new = now.typicalTime, old > 0
    else {
      return nil
    }
    return TimeChange(
      base: old, head: new, ratio: new / old, margin: RowVerdict.margin,
      baseProcesses: before.rounds.values.map(\.typical), headProcesses: now.rounds.values.map(\.typical))
  }

  private func notes(_ new: [SummaryRow]) -> [String] {
    var notes = [base, head].flatMap { model in
      model.readingWarnings.map { "\(model.directory.name): \($0)" }
    }
    if base.environment.machine != head.environment.machine {
      notes.append("Different machines: counts are compared, times are not.")
    } else if base.rows.contains(where: { $0.typicalTime != nil }) {
      notes.append(
        "Times are advice: the runs were not made side by side. 'paired' judges them, with both builds or backends.")
    }
    if let note = Tolerances.note(head.rows) { notes.append(note) }
    if !new.isEmpty {
      let names = new.prefix(3).map(\.cell.name).joined(separator: ", ")
      notes.append(
        "\(new.count) \(new.count == 1 ? "cell is" : "cells are") new and compared with nothing: \(names)"
          + (new.count > 3 ? ", ..." : "") + ".")
    }
    return notes
  }
}
