import StorageReport
import StorageRunFiles
import StorageStatistics

struct PairedGate {
  let plan: PairedPlan
  let measurements: PairedMeasurements
  let base: ReportModel
  let head: ReportModel
  let names: (base: String, head: String)
  /// Whether more writes or syncs than before are a regression. False unless two builds are compared.
  let judgesCounts: Bool
  let subject: Comparison.Subject

  /// The measured differences in time that count as real changes.
  private enum Trust {
    /// All statistically significant differences count as real. Used on a quiet machine, and for the command `noise`.
    case all
    /// Only differences above this bound, such as a factor of 1.48, count as real. With a nil bound, no difference
    /// counts as real.
    case beyond(NoiseBound?)
  }

  func comparison() -> Comparison {
    let control = measurements.control.map { judgeTime($0, .all) }
    let unfit = MachineFitness.defect(measurements.samples) ?? falseAlarm(control)
    // The command `noise` shows what the machine can detect, even if the machine is too unsteady to judge times.
    let trust = unfit == nil || subject == .noise ? Trust.all : .beyond(noise)
    let judgements = plan.head.cells.indices.map { judge($0, trust) }
    var method = PairedMethod(
      rounds: plan.rounds(syncs: false), syncingRounds: plan.rounds(syncs: true), trialTime: plan.head.trialTime,
      control: control, unfit: unfit, coverage: coverage(judgements))
    if case .beyond(let noise) = trust { method.bound = noise?.factor }
    return Comparison(
      subject: subject, base: .init(name: names.base, machine: base.environment.machine),
      head: .init(name: names.head, machine: head.environment.machine), judgements: judgements, method: method,
      notes: notes(judgements))
  }

  /// The noise of the machine: the differences in time between measurements of the same code. Nil if unknown.
  private var noise: NoiseBound? {
    // Only the deciding series counts: a first series that raised a suspicion overstates the noise.
    let controls = measurements.control.compactMap { $0.verdict?.deciding.ratio.interval }
    // A control that could not be measured may be the noisiest, so the noise is unknown.
    guard controls.count == measurements.control.count else { return nil }
    return NoiseBound(
      controls: controls,
      probes: [measurements.samples.map(\.loop), measurements.samples.compactMap(\.write)])
  }

  private func coverage(_ judgements: [Judgement]) -> Coverage {
    Coverage(
      zip(plan.head.cells, judgements).filter { $1.verdict != .notAvailable }.map { planned, judgement in
        (
          ["backend \(planned.cell.backend)", "workload \(planned.cell.workload)"],
          judgement.verdict.result != .notJudged
        )
      })
  }

  private func judge(_ index: Int, _ trust: Trust) -> Judgement {
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
    var judgement = judgeTime(result, trust)
    let (counts, obstacle) = counts(before, now)
    judgement.counts = counts
    if judgesCounts {
      judgement.verdict = counts.reduce(judgement.verdict) { $0.worse($1.verdict) }
      if let obstacle {
        judgement.verdict = judgement.verdict.worse(.unmeasurable)
        judgement.note = judgement.note.isEmpty ? obstacle : "\(judgement.note); \(obstacle)"
      }
    }
    return judgement
  }

  private func judgeTime(_ result: PairedMeasurements.CellResult, _ trust: Trust) -> Judgement {
    let name = plan.head.cells[result.index].cell.name
    if let failure = result.failure {
      return failure.isHead
        ? Judgement(name: name, verdict: .failed, note: failure.note)
        : Judgement(name: name, verdict: .unmeasurable, note: "the base failed: \(failure.note)")
    }
    guard let verdict = result.verdict, let change = result.change else {
      return Judgement(name: name, verdict: .unmeasurable, note: "too few pairs")
    }
    guard plan.confirms else { return Judgement(name: name, verdict: .same, time: change) }
    let isScattered = verdict.deciding.verdict == .unmeasurable
    var word = verdict.verdict
    var obstacle = isScattered ? "the pairs scatter too much" : "too few pairs of a second series"
    if case .beyond(let noise) = trust {
      (word, obstacle) = (noise?.verdict(verdict) ?? .unmeasurable, "within the noise of this run")
    }
    return Judgement(name: name, verdict: word, note: word == .unmeasurable ? obstacle : "", time: change)
  }

  /// Returns the changes of the counts that repeat exactly, and the reason why some are missing. Allocations vary
  /// between runs, and are left out.
  private func counts(_ before: SummaryRow, _ now: SummaryRow) -> (changes: [CountChange], obstacle: String?) {
    guard let old = before.cost, let new = now.cost else {
      return ([], "the counts of \(before.cost == nil ? "the base" : "the head") are missing")
    }
    guard old.countedOperations == new.countedOperations else {
      return ([], "counted over \(old.countedOperations) and \(new.countedOperations) operations")
    }
    let exact = Measure.committed.filter { $0.tolerance == 0 }
    return (
      exact.compactMap { $0.change(from: old, to: new, tolerance: 0) },
      exact.first { $0.isOneSided(old, new) }.map { "\($0.name) was counted on one side only" }
    )
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

  /// Returns advice for the output of `noise`: which benchmarks need a larger value of the option `--margin`.
  private func floorNotes(_ judgements: [Judgement]) -> [String] {
    guard judgesCounts else { return [] }
    let raised = judgements.compactMap { judgement -> String? in
      guard let time = judgement.time, let low = time.low, let high = time.high, low > 1 || high < 1 else { return nil }
      let floor = max(time.ratio, 1 / time.ratio) - 1
      return "--margin \(NumberFormat.plain(((RowVerdict.margin + floor) * 1_000).rounded() / 10))%@'\(judgement.name)'"
    }
    return raised.isEmpty
      ? ["The builds do not differ in any cell: the usual margins hold."]
      : [
        "If both builds are of one source, add what they differ by to the margins of 'paired': \(raised.joined(separator: " "))"
      ]
  }
}
