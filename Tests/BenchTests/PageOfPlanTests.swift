import Foundation
@testable import TestSupport
import StorageBackends
import StorageRunFiles
import Testing

@testable import StorageBench
@testable import StorageReport

/// The size of a plan's page, and the commands on it that repeat a cell.
@Suite struct PageOfPlanTests {
  private func plan(_ arguments: [String], profile: Profile?) throws -> Plan {
    try PlanBuilder.sample(arguments, profile: profile, timesLogsLonger: true).plan()
  }

  /// Returns the page of a sample run of the plan, whose timed trials are changed.
  private func page(_ plan: Plan, change: (_ cell: Int, inout Trial) -> Void = { _, _ in }) throws -> String {
    let trials = plan.cells.filter { $0.refusal == nil }.enumerated().flatMap { index, planned in
      (1...plan.rounds).map { round in
        var trial = SampleRun.timed(planned.cell, round: round)
        change(index, &trial)
        return trial
      } + [SampleRun.counted(planned.cell)]
    }
    return try SampleRun.withModel(plan: plan, trials: trials) { model, _ in
      try String(contentsOf: model.write(formats: [.html])[0], encoding: .utf8)
    }
  }

  @Test(arguments: [Profile.quick, .full, .ycsb]) func `a row's command plans that row again`(profile: Profile) throws {
    let whole = try plan([], profile: profile)
    // Flags that all rows share are given once. Flags of a run, not of its cells, have their own tests.
    let shared = RepeatCommand.run(whole).split(separator: " ").map(String.init)
    // Of a series of sizes one row: their commands differ in the number only. Of the many series of full every twelfth.
    let stride = profile.id == Profile.full.id ? max(1, 12 / repetitions(1)) : 1
    var seen: Set<String> = []
    for planned in whole.cells where planned.refusal == nil {
      let series = planned.cell.name.replacing("/\(planned.cell.records)/", with: "/*/")
      guard seen.insert(series).inserted, seen.count % stride == 0 else { continue }
      let words = RepeatCommand.cell(planned, of: whole).split(separator: " ").map { $0.filter { $0 != "'" } }
      let again = try plan(words + shared, profile: nil)
      #expect(again.cells.map(\.cell) == [planned.cell], "\(words)")
      #expect(again.rounds == whole.rounds && again.seed == whole.seed)
      #expect(again.trialTime(again.cells[0]) == whole.trialTime(planned), "\(words)")
      #expect(again.payload == whole.payload)
    }
  }

  /// 650 kB for a quick run of 100 rows and 3 MB for a full one of 1,009: mail servers accept these.
  @Test(arguments: [(Profile.quick, 650_000), (.full, 3_000_000)])
  func `the page stays small`(profile: Profile, most: Int) throws {
    let plan = try plan([], profile: profile)
    let size = try page(plan) { index, trial in
      // Times with as many digits as measured ones. Round numbers would be shorter.
      trial.timing?.p50 *= 1 + 0.0123456789 * Double(index % 97)
      trial.timing?.max = nil
    }.utf8.count
    #expect(size <= most, "\(plan.cells.count) cells: \(size) bytes")
  }

  /// Ten runs of other backends in other orders. Tooltips have the display name of the engine.
  @Test func `an engine has the same colour and marker in ten runs`() throws {
    var looks: [String: Set<String>] = [:]
    let names = Dictionary(
      uniqueKeysWithValues: Backends.all.map { ($0.description.id, $0.description.appearance.name) })
    let ids = names.keys.sorted()
    var random = SplitMix64(seed: 7)
    for run in 0..<10 {
      let chosen = ids.shuffled(using: &random).prefix(4 + run % 4).joined(separator: ",") + ",sqlite:journal=wal"
      let plan = try plan(["-b", chosen, "-w", "save-one,read-one,load-all", "-n", "100,1000"], profile: nil)
      for match in try page(plan).matches(
        of: /<(circle|polygon|path) class="([^"]*)"([^>]*)data-cell="([^"\/:]+)[^>]*><title>([^<]*)/)
      {
        let (_, shape, css, attributes, id, tooltip) = match.output
        let corners = shape == "polygon" ? attributes.count(where: { $0 == "," }) : 0
        looks[String(id), default: []].insert("\(shape) \(corners) \(css)")
        let name = try #require(names[String(id)])
        #expect(tooltip.hasPrefix(name), "\(tooltip)")
      }
    }
    #expect(looks.count > 8)
    for (id, seen) in looks { #expect(seen.count == 1, "\(id): \(seen)") }
    #expect(Set(looks.values).count == looks.count)
  }
}
