import StorageBackends
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

/// What `--dry-run` says of a run's length.
@Suite struct EstimateTests {
  /// What they took on two cores of a virtual machine is told within a quarter.
  @Test(arguments: [(Profile.quick, 45.0), (.full, 1_054)])
  func aProfileTakesAboutAsLongAsItSays(profile: Profile, measured: Double) throws {
    var builder = PlanBuilder(
      catalog: Catalog(backends: Backends.all, workloads: Workloads.all), cells: try CellOptions.parse([]),
      profile: profile, isRAMDisk: false, allowsRAMDisk: false)
    builder.scratch = "/scratch"
    let seconds = Estimate.seconds(try builder.plan())
    #expect((0.75 * measured...1.25 * measured).contains(seconds))
  }

  /// Beside the sides of a pair nobody is prepared or verified.
  @Test func whatIsPairedTakesLonger() {
    var planned = PlannedCell.sample("page", "save-one", records: 10_000)
    for isWholeFile in [false, true] {
      planned.isWholeFile = isWholeFile
      let ofRun = Estimate.trialSeconds(planned, trialTime: 50_000_000)
      #expect(ofRun < Estimate.trialSeconds(planned, trialTime: 50_000_000, ofPair: true))
    }
  }
}
