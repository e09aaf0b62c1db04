import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

@testable import TestSupport
@testable import check_run

/// One report of several runs of a plan.
@Suite struct PooledRunTests {
  /// The sample run several times, slower by these factors.
  private func withModels<Result>(
    _ factors: [Double], change: (Int, inout [Trial]) -> Void = { _, _ in }, _ body: ([ReportModel]) throws -> Result
  ) throws -> Result {
    let urls = try factors.enumerated().map { index, factor in
      let plan = changed(SampleRun.plan) { $0.seed = UInt64(index + 1) }
      var trials = SampleRun.trials.map { trial in
        trial.withTiming { timing in
          (timing.p25, timing.p50) = (timing.p25 * factor, timing.p50 * factor)
          timing.max = timing.max.map { Int64(Double($0) * factor) }
        }
      }
      change(index, &trials)
      return try SampleRun.write(plan: plan, trials: trials, name: "run\(index + 1)")
    }
    defer { for url in urls { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) } }
    return try body(try urls.map { try ReportModel(reading: RunDirectory(url: $0)) })
  }

  private func pooled(_ models: [ReportModel]) -> ReportModel {
    ReportModel(pooling: models, directory: RunDirectory(path: "/nowhere/pooled"))
  }

  private func text(_ model: ReportModel) throws -> String { try ReportFormat.markdown().text(RunReport(model)) }

  private func row(_ model: ReportModel, _ cell: Cell) throws -> SummaryRow {
    try #require(model.rows.first { $0.cell == cell })
  }

  @Test func `a run counts as one value, and the interval is that of a further run`() throws {
    try withModels([1, 1.05, 0.98]) { models in
      let model = pooled(models)
      let cell = SampleRun.save(SampleRun.lmdb, 1000)
      let (all, one) = (try models.map { try row($0, cell) }, try row(model, cell))
      #expect(one.rounds.unit == .run && one.rounds.count == 3)
      #expect(one.rounds.values.map(\.typical) == all.compactMap(\.p50))
      #expect(one.p50 == all[0].p50)
      #expect(one.p50Interval == MedianInterval(ofFurtherRun: all.compactMap(\.p50)))
      #expect(one.processes == 18 && one.operations == 3 * all[0].operations)
      // Counts are those of the first run.
      #expect(one.cost == all[0].cost)
      #expect(model.runs.map(\.name) == ["run1", "run2", "run3"] && model.runs.map(\.seed) == [1, 2, 3])
      #expect(try row(model, SampleRun.save(SampleRun.graph, 10_000)).status == .failed)
    }
  }

  @Test func `a report of several runs says how far they differ, and one of one run that it is one`() throws {
    try withModels([1, 1.05, 0.98]) { models in
      let (one, several) = (try text(models[0]), try text(pooled(models)))
      let spread = "Medians of 3 runs (run1, run2 and run3) differed by 7 % in the middle row"
      #expect(several.contains(spread) && !one.contains("Medians of"))
      #expect(several.components(separatedBy: "where the median of a further run would lie").count == 2)
      #expect(one.components(separatedBy: "One run on one machine").count == 2)
      #expect(!several.contains("One run on one machine"))
    }
  }

  @Test func `the number of intervals that may miss appears once, or not at all`() throws {
    let model = try SampleRun.model()
    let count = model.rows.count { $0.p50Interval != nil }
    let expected = Double(count) / 32
    let words = expected < 0.95 ? "fewer than one" : "about \(Quantity.whole(expected))"
    let sentence = "Of \(count) intervals, each wrong in 3 % of cases, \(words) can be expected to miss"
    let shown = try text(model)
    #expect(shown.components(separatedBy: sentence).count == 2)
    let plan = changed(SampleRun.plan) { $0.rounds = 5 }
    let trials = SampleRun.trials.filter { ($0.round ?? 1) < 6 }
    let few = try text(SampleRun.model(plan: plan, trials: trials))
    #expect(!few.contains("each wrong in") && !few.contains("One run on one machine"))
  }

  @Test func `every format can be written of several runs`() throws {
    try withModels([1, 1.05, 0.98]) { models in
      try withTemporaryDirectory { directory in
        let model = pooled(models)
        try model.write(formats: ReportFormats.withoutImage, to: directory)
        let rows = FinishedRun.rows(try directory.text("summary.csv"))
        #expect(rows.map { $0.text("p50_low_ns").isEmpty } == model.rows.map { $0.p50Interval == nil })
        #expect(rows.allSatisfy { $0.text("run") == "run1+run2+run3" })
        // Rounds are numbered consecutively: 18 of one cell.
        let lines = try directory.text("trials.csv").split(separator: "\n")
          .filter { $0.hasPrefix("lmdb,,save-one,1000,") && $0.contains(",timed,p50,") }
        #expect(Set(lines.map { $0.split(separator: ",", omittingEmptySubsequences: false)[10] }).count == 18)
      }
    }
  }

  @Test func `a run that others disturbed is left out, and most of them disturb the row`() throws {
    let cell = SampleRun.save(SampleRun.lmdb, 1000)
    let busy = Interference(window: 60_000_000, waited: 24_000_000)
    func disturbed(_ runs: Set<Int>) throws -> (row: SummaryRow, alone: [SummaryRow]) {
      try withModels(
        [1, 1.05, 0.98, 2],
        change: { run, trials in
          for index in trials.indices where runs.contains(run) && trials[index].cell == cell {
            trials[index].timing?.interference = busy
          }
        }
      ) { models in (try row(pooled(models), cell), try models.map { try row($0, cell) }) }
    }
    let (one, alone) = try disturbed([3])
    #expect(alone[3].isDisturbed && !one.isDisturbed)
    #expect(one.rounds.values.map(\.typical) == alone[..<3].compactMap(\.p50))
    #expect(one.note.contains("without run4: disturbed"))
    let (most, _) = try disturbed([1, 3])
    #expect(most.isDisturbed && most.rounds.count == 4)
    #expect(most.disturbance?.hasPrefix("2 of 4 runs, run2 with 6 of 6 trials waited for a processor") == true)
  }

  /// The median hides a few slow saves, which the mean includes.
  @Test func `a save is answered by its mean where that is over a tenth longer than the median`() throws {
    let cell = SampleRun.save(SampleRun.lmdb, 1000)
    func texts(_ share: Double) throws -> (table: String, advice: String, row: SummaryRow) {
      let model = try SampleRun.model(trials: trials(mean: share) { $0 == cell })
      let short = try ReportFormat.markdown(isShort: true).text(RunReport(model))
      let line = try #require(short.split(separator: "\n").first { $0.hasPrefix("| lmdb |") })
      let advice = Advice(AppDescription(records: 1000, readsPerSave: 0), by: model)
      return (String(line), TerminalWriter.text(advice.document), try row(model, cell))
    }
    let (usual, rare) = (try texts(1.09), try texts(1.3))
    #expect(!usual.row.meanDiffers && usual.row.answerTime == usual.row.p50)
    #expect(!usual.table.contains("mean") && !usual.advice.contains("(mean)"))
    #expect(rare.row.p50 == usual.row.p50 && rare.row.answerTime == rare.row.mean)
    let mean = NumberFormat.time(try #require(rare.row.mean))
    #expect(rare.table.contains("| \(mean) mean |"), "\(rare.table)")
    #expect(rare.advice.contains("\(mean) (mean) a save"), "\(rare.advice)")
  }

  /// The sample's trials, some with a mean of this many times the median.
  private func trials(mean share: Double, of isIncluded: (Cell) -> Bool) -> [Trial] {
    SampleRun.trials.map { trial in
      trial.withTiming { if isIncluded(trial.cell) { $0.elapsed = Int64($0.p50 * Double($0.operations) * share) } }
    }
  }

  @Test func `factors are relative to a median, even beside a mean`() throws {
    let model = try SampleRun.model(trials: trials(mean: 1.3) { _ in true })
    let text = try ReportFormat.markdown().text(RunReport(model))
    let lines = text.split(separator: "\n").filter { $0.contains("The same, every library set") }
    #expect(!lines.isEmpty && text.contains(" mean |"))
    for line in lines { #expect(!line.contains(" mean"), "\(line)") }
  }
}
