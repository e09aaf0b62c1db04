import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct EstimateTests {
  /// Seconds measured on two cores of a virtual machine. The estimate is within a quarter of them.
  @Test(arguments: [(Profile.quick, 70.0), (.full, 1_054)])
  func aProfileTakesAboutAsLongAsItSays(profile: Profile, measured: Double) throws {
    #expect((0.75 * measured...1.25 * measured).contains(PlanEstimate.seconds(try plan(profile))))
  }

  /// Seconds of two rounds of saves of a data set on two busy cores. The estimate is within a factor of four.
  @Test(arguments: [
    (false, 10_000, 2_080, 8.9), (true, 10_000, 2_080, 8.0), (false, 1_000, 2_080, 2.3), (false, 10_000, 220, 3.0),
    (true, 10_000, 220, 4.3), (false, 100_000, 40, 5.7), (true, 100_000, 40, 22.8),
  ])
  func aDataSetTakesAboutAsLongAsItSays(isWholeFile: Bool, records: Int, bytes: Int, measured: Double) {
    let cell = Cell.sample(records: records).with { $0.recordBytes = bytes }
    var plan = Plan(rounds: 2, cells: [.sample(cell, isWholeFile: isWholeFile)])
    let generated = PlanEstimate.seconds(plan)
    plan.dataset = "/d.csv"
    let estimate = PlanEstimate.seconds(plan)
    #expect((measured / 4...measured * 4).contains(estimate), "\(estimate)")
    #expect(generated < estimate)
  }

  /// A budget as long as the estimate is enough for exactly the planned rounds.
  @Test(arguments: [[], ["--aged", "3", "-b", "sqlite,plist", "-w", "read-one", "-n", "10000"]])
  func aBudgetIsForAllThatARunDoes(arguments: [String]) throws {
    let plan = try plan(.quick, arguments)
    let time = Int64(PlanEstimate.seconds(plan) * 1e9)
    #expect(try self.plan(.quick, arguments, budget: time + 1_000_000).rounds == plan.rounds)
    #expect(try self.plan(.quick, arguments, budget: time - 1_000_000).rounds == plan.rounds - 1)
  }

  private func plan(_ profile: Profile, _ arguments: [String] = [], budget: Int64? = nil) throws -> Plan {
    var builder = try PlanBuilder.sample(arguments, profile: profile, timesLogsLonger: true)
    builder.options.budget = budget
    return try builder.plan()
  }

  /// While a pair is timed, no other trial is prepared or verified.
  @Test(arguments: [false, true]) func whatIsPairedTakesLonger(isWholeFile: Bool) {
    let planned = PlannedCell.sample(records: 10_000, isWholeFile: isWholeFile)
    let plan = Plan(rounds: 1, trialTime: 50_000_000, cells: [planned])
    #expect(PlanEstimate.trialSeconds(planned, of: plan) < PlanEstimate.trialSeconds(planned, of: plan, ofPair: true))
  }
}
