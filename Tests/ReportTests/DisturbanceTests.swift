import StorageRunFiles
import StorageStatistics
import Testing

@testable import TestSupport
@testable import StorageReport

/// Rows that were timed while other processes used the machine.
@Suite struct DisturbanceTests {
  private static let quiet = Interference(
    window: 60_000_000, waited: 300_000, stolen: 10_000_000, syncBefore: 80_000, syncAfter: 120_000)
  private static let busy = Interference(window: 60_000_000, waited: 24_000_000)

  /// A synthetic run with the interference of each trial.
  private func model(
    _ beside: (_ backend: String, _ round: Int) -> Interference?, exactly times: [String: Double] = [:]
  ) -> ReportModel {
    func flat(_ time: Double) -> GrowthModel { GrowthModel(constant: time, coefficient: 0, exponent: 1) }
    let run = SyntheticRun(
      engines: [
        .init(id: "lmdb", time: flat(100_000)), .init(id: "sqlite", time: flat(200_000)),
        .init(id: "plist", isWholeFile: true, time: flat(900_000)),
      ], noise: .normal(0.001)
    ).run
    let trials = run.trials.map {
      changed($0) { trial in
        trial.timing?.interference = trial.round.flatMap { beside(trial.cell.backend.id, $0) }
        if let operations = trial.cost?.countedOperations { trial.cost?.syncs = operations }
        guard let time = times[trial.cell.backend.id] else { return }
        trial = trial.withTiming { ($0.p25, $0.p50, $0.max) = (time, time, Int64(time)) }
      }
    }
    return ReportModel(plan: run.plan, trials: trials)
  }

  @Test func `a trial is disturbed by more than a tick and 5 % of waiting, or by uneven syncs`() {
    #expect(!Self.quiet.isDisturbed && Self.busy.isDisturbed)
    #expect(Self.busy.waitShare == 0.4)
    // One step of stolen time may be nothing.
    #expect(Interference(window: 60_000_000, waited: nil, stolen: 20_000_000).hasWaited)
    // A tick of 60 ms, and 4 % of a second.
    #expect(!Interference(window: 60_000_000, waited: 4_000_000).hasWaited)
    #expect(Interference(window: 60_000_000, waited: 4_000_001).hasWaited)
    #expect(!Interference(window: 1_000_000_000, waited: 40_000_000).hasWaited)
    #expect(!Interference(window: 1, waited: 0, syncBefore: 100, syncAfter: 300).isDisturbed)
    #expect(Interference(window: 1, waited: 0, syncBefore: 100, syncAfter: 301).hasUnevenSyncs)
    #expect(Interference(window: 1, waited: 0, syncBefore: 301, syncAfter: 100).isDisturbed)
  }

  @Test func `a quiet run has no disturbed row, nor has a run without the figures`() {
    for model in [model({ _, _ in Self.quiet }), model { _, _ in nil }] {
      #expect(model.rows.allSatisfy { !$0.isDisturbed && !$0.note.contains("disturbed") })
      #expect(ReportModel.disturbed(model.rows) == nil)
      #expect(model.groups.allSatisfy { $0.best?.cell.backend.id == "lmdb" })
    }
    // Two of six trials are no more than a third.
    #expect(model { _, round in round <= 2 ? Self.busy : Self.quiet }.rows.allSatisfy { !$0.isDisturbed })
  }

  @Test func `a disturbed row wins nothing, loses nothing and is in no advice`() throws {
    let model = model { backend, round in backend == "lmdb" && round <= 3 ? Self.busy : Self.quiet }
    let reason = "3 of 6 trials waited for a processor, for 40 % of their time"
    for row in model.rows {
      #expect(row.disturbance == (row.cell.backend.id == "lmdb" ? reason : nil))
      #expect(row.typicalTime != nil)
      #expect(row.note.contains("disturbed: \(reason)") == row.isDisturbed)
    }
    for group in model.groups {
      #expect(group.best?.cell.backend.id == "sqlite")
      #expect(group.ranking.count == 2)
      #expect(RowComparison(base: group.rows[1], head: group.rows[0]) == nil)
    }
    #expect(
      ReportModel.disturbed(model.rows)
        == "3 of 9 timed rows were disturbed by other work on the machine, and take part in no comparison and no advice "
        + "(lmdb/save-one/100/shipped: \(reason)). Run again when the machine is quiet.")
    let advice = Advice(AppDescription(records: 1_000, readsPerSave: 0), by: model)
    #expect(advice.recommended?.name == "sqlite")
    #expect(advice.absences.first?.name == "lmdb" && advice.absences.first?.reason == "disturbed: \(reason)")
    let answer = MarkdownFormat.text(Document(title: "", sections: [try #require(model.section(AnswerSection.id))]))
    #expect(answer.contains("sqlite") && !answer.contains("lmdb"), "\(answer)")
  }

  @Test func `syncs that end with ticks are disturbed`() {
    var syncing = Self.quiet
    (syncing.waited, syncing.syncBefore, syncing.syncAfter) = (0, 80_000, 90_000)
    let ticking = model({ _, _ in syncing }, exactly: ["lmdb": 4_000_000, "sqlite": 7_000_000])
    let rows = ticking.rows.filter { $0.cell.records == 100 }
    #expect(rows[0].disturbance == "a sync takes 1 tick of the kernel's timer, and not the disk's time")
    #expect(rows[1].disturbance == nil)
    // On a disk whose fastest sync takes half a tick, nothing can be said.
    (syncing.syncBefore, syncing.syncAfter) = (2_100_000, 2_200_000)
    #expect(model({ _, _ in syncing }, exactly: ["lmdb": 4_000_000]).rows.allSatisfy { !$0.isDisturbed })
  }

  @Test func `a run is not called disturbed because it was short`() {
    let few = [50e6, 50e6].map { ProbeSample(started: 0, loop: $0, write: 1e6) }
    #expect(MachineFitness.defect(few) == "an integer loop was tried 2 times only", "a gate needs more")
    #expect(MachineFitness.defect(few, allowsFew: true) == nil)
    let disturbed = (0..<20).map { ProbeSample(started: 0, loop: $0 % 2 == 0 ? 50e6 : 150e6, write: 1e6) }
    #expect(MachineFitness.defect(disturbed, allowsFew: true)?.contains("an integer loop, tried 20 times") == true)
  }
}
