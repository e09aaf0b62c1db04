import Foundation
@testable import TestSupport
import StorageBackends
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench
@testable import StorageReport

/// The size of a plan's page, and the commands on it that repeat a cell.
@Suite struct PageOfPlanTests {
  private func plan(_ arguments: [String], profile: Profile?) throws -> Plan {
    var builder = try PlanBuilder(
      catalog: Catalog(backends: Backends.all, workloads: Workloads.all), cells: CellOptions.parse(arguments),
      profile: profile)
    builder.scratch = "/scratch"
    builder.timesLogsLonger = true
    return try builder.plan()
  }

  @Test(arguments: [Profile.quick, .full, .ycsb]) func `a row's command plans that row again`(profile: Profile) throws {
    let whole = try plan([], profile: profile)
    // Flags that all rows share are given once. Flags of a run, not of its cells, have their own tests.
    let shared = RepeatCommand.run(whole).split(separator: " ").map(String.init)
    // Of a series of sizes one row: their commands differ in the number only.
    var seen: Set<String> = []
    for planned in whole.cells where planned.refusal == nil {
      let series = planned.cell.name.replacing("/\(planned.cell.records)/", with: "/*/")
      guard seen.insert(series).inserted else { continue }
      let words = RepeatCommand.cell(planned, of: whole).split(separator: " ").map { $0.filter { $0 != "'" } }
      let again = try plan(words + shared, profile: nil)
      #expect(again.cells.map(\.cell) == [planned.cell], "\(words)")
      #expect(again.rounds == whole.rounds && again.seed == whole.seed)
      #expect(again.trialTime(again.cells[0]) == whole.trialTime(planned), "\(words)")
      #expect(again.payload == whole.payload)
    }
  }

  /// 650 kB for a quick run of 100 rows and 3 MB for a full one of 1,009: a phone loads these, and a mail server accepts
  /// them.
  @Test(arguments: [(Profile.quick, 650_000), (.full, 3_000_000)])
  func `the page stays small`(profile: Profile, most: Int) throws {
    let plan = try plan([], profile: profile)
    let trials = plan.cells.filter { $0.refusal == nil }.enumerated().flatMap { index, planned in
      (1...plan.rounds).map { round in
        var trial = SampleRun.timed(planned.cell, round: round)
        // Times with as many digits as measured ones. Round numbers would be shorter.
        let factor = 1 + 0.0123456789 * Double(index % 97)
        trial.timing?.p50 *= factor
        trial.timing?.max = nil
        return trial
      } + [SampleRun.counted(planned.cell)]
    }
    let url = try SampleRun.write(plan: plan, trials: trials)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try ReportModel(reading: RunDirectory(url: url))
    let files = try model.write(formats: [HTMLFormat()])
    let size = try #require(try FileManager.default.attributesOfItem(atPath: files[0].path)[.size] as? Int)
    #expect(size <= most, "\(plan.cells.count) cells: \(size) bytes")
  }
}
