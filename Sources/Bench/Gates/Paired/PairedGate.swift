import Foundation
import StorageContract
import StorageReport
import StorageStatistics

/// Makes a comparison out of what a paired run has found.
struct PairedGate {
  let plan: PairedPlan
  let measurements: PairedMeasurements
  /// The sides, for their counts.
  let base: ReportModel
  let head: ReportModel
  let names: (base: String, head: String)
  /// Whether two builds are compared: then counts are judged, too. Two backends differ in theirs by nature.
  let judgesCounts: Bool
  let subject: Comparison.Subject

  /// The comparison.
  func comparison() -> Comparison {
    let control = measurements.control.map { judgeTime($0) }
    let unfit = MachineFitness.defect(measurements.samples) ?? falseAlarm(control)
    var judgements = plan.head.cells.indices.map { judge($0) }
    // A study of noise shows what the machine can tell, fit or not.
    if let unfit, subject != .noise {
      for index in judgements.indices where judgements[index].time != nil {
        judgements[index].verdict = judgements[index].verdict.withoutTime
        judgements[index].note = unfit
      }
    }
    let method = PairedMethod(
      rounds: plan.rounds(syncs: false), syncingRounds: plan.rounds(syncs: true), trialTime: plan.head.trialTime,
      control: control, unfit: unfit)
    return Comparison(
      subject: subject, base: .init(name: names.base, machine: base.environment.machine),
      head: .init(name: names.head, machine: head.environment.machine), judgements: judgements, method: method,
      notes: notes(judgements))
  }

  private func judge(_ index: Int) -> Judgement {
    let name = plan.head.cells[index].cell.name
    let (before, now) = (base.rows[index], head.rows[index])
    if let refusal = plan.head.cells[index].refusal ?? plan.base.cells[index].refusal {
      return Judgement(name: name, verdict: .notAvailable, note: refusal.note)
    }
    if now.status == .failed { return Judgement(name: name, verdict: .failed, note: now.note) }
    if before.status == .failed {
      return Judgement(name: name, verdict: .unmeasurable, note: "the base failed: \(before.note)")
    }
    guard let result = measurements.cells.first(where: { $0.index == index }) else {
      return Judgement(name: name, verdict: .unmeasurable, note: "it was not run")
    }
    var judgement = judgeTime(result)
    judgement.counts = counts(before, now)
    if judgesCounts {
      judgement.verdict = judgement.counts.reduce(judgement.verdict) { $0.worse($1.verdict) }
    }
    return judgement
  }

  private func judgeTime(_ result: PairedMeasurements.CellResult) -> Judgement {
    let name = plan.head.cells[result.index].cell.name
    if let failure = result.failure {
      return failure.isHead
        ? Judgement(name: name, verdict: .failed, note: failure.note)
        : Judgement(name: name, verdict: .unmeasurable, note: "the base failed: \(failure.note)")
    }
    guard let verdict = result.verdict, let change = result.change else {
      return Judgement(name: name, verdict: .unmeasurable, note: "too few pairs")
    }
    var judgement = Judgement(name: name, verdict: ChangeVerdict(verdict.verdict), time: change)
    if verdict.deciding.verdict == .unmeasurable {
      judgement.note = "the pairs scatter too much"
    } else if judgement.verdict == .unmeasurable, plan.confirms {
      judgement.note = "too few pairs of a second series"
    }
    if !plan.confirms { judgement.verdict = .same }
    return judgement
  }

  /// What repeats exactly; allocations do not.
  private func counts(_ before: SummaryRow, _ now: SummaryRow) -> [CountChange] {
    guard let old = before.cost, let new = now.cost, old.countedOperations == new.countedOperations else { return [] }
    return CountMetric.committed.filter { $0.tolerance == 0 }.compactMap { metric in
      guard let was = old[keyPath: metric.path], let count = new[keyPath: metric.path] else { return nil }
      return CountChange(
        metric: metric.name, unit: metric.unit, operations: old.countedOperations, base: was, head: count,
        tolerance: metric.tolerance)
    }
  }

  private func falseAlarm(_ control: [Judgement]) -> String? {
    let flagged = control.filter { $0.verdict == .slower || $0.verdict == .faster }
    return flagged.isEmpty
      ? nil : "\(flagged.map(\.name).joined(separator: ", ")) of the base seems to differ from itself, a false alarm"
  }

  private func notes(_ judgements: [Judgement]) -> [String] {
    var notes: [String] = []
    if subject == .noise { return floorNotes(judgements) }
    let levels = zip(plan.base.cells, plan.head.cells).filter { $0.level != $1.level && $0.refusal == nil }
    if let (before, now) = levels.first(where: { $1.refusal == nil }) {
      notes.append(
        "The sides do not promise the same: \(before.cell.name) is \(before.level?.rawValue ?? "-"), "
          + "\(now.cell.name) \(now.level?.rawValue ?? "-"). See --durability.")
    }
    if !judgesCounts, judgements.contains(where: { $0.counts.contains { $0.verdict != .same } }) {
      notes.append("What the backends write and sync differs by nature, and is not judged.")
    }
    return notes
  }

  /// What two builds of one source differ by, for `--margin` to be raised by.
  private func floorNotes(_ judgements: [Judgement]) -> [String] {
    guard judgesCounts else { return [] }
    let raised = judgements.compactMap { judgement -> String? in
      guard let time = judgement.time, let low = time.low, let high = time.high, low > 1 || high < 1 else { return nil }
      let floor = max(time.ratio, 1 / time.ratio) - 1
      return "--margin \(NumberFormat.plain(((Margins.usual + floor) * 1_000).rounded() / 10))%@'\(judgement.name)'"
    }
    return raised.isEmpty
      ? ["The builds do not differ in any cell: the usual margins hold."]
      : [
        "If both builds are of one source, add what they differ by to the margins of 'paired': \(raised.joined(separator: " "))"
      ]
  }
}
