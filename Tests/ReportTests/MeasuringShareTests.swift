@testable import TestSupport
import StorageRunFiles
import Testing

@testable import StorageReport

/// The share of a run's time that was measured.
@Suite struct MeasuringShareTests {
  private func trial(timed seconds: Double? = nil, syncs: Int? = nil) -> Trial {
    let cell = SampleRun.save(SampleRun.sqlite, 100)
    guard let seconds else { return .counted(cell) { $0.syncsSettled = syncs } }
    return .timed(cell, Timing(operations: 1, elapsed: Int64(seconds * 1e9), cpu: 0, p25: 1, p50: 1, clock: 1))
  }

  private func environment(wall: Double?, sync: Double? = 100_000) -> MachineEnvironment {
    changed(MachineEnvironment(machine: "m", syncCost: sync)) { $0.wall = wall }
  }

  private func share(_ trials: [Trial], _ environment: MachineEnvironment) -> MeasuringShare? {
    var measured = MeasuringShare.Measured()
    for trial in trials { measured.add(trial) }
    return MeasuringShare(measured, environment)
  }

  @Test func timedPartsAndCountedSyncsOverTheWholeTime() throws {
    let trials = [trial(timed: 2), trial(timed: 1.5), trial(syncs: 20_000), trial(syncs: nil)]
    let share = try #require(self.share(trials, environment(wall: 10)))
    #expect(
      share.sentence
        == "55 % of this run was measuring: timed parts 3.5 s and 20,000 counted syncs worth 2.0 s of 10 s.")
    // Single operations between batches were measured, too.
    let both = trial(timed: 2).withTiming { $0.singlesElapsed = 1_500_000_000 }
    #expect(self.share([both], environment(wall: 10))?.timed == 3.5)
    let plain = try #require(self.share([trial(timed: 5)], environment(wall: 10, sync: nil)))
    #expect(plain.sentence == "50 % of this run was measuring: timed parts 5.0 s of 10 s.")
  }

  /// With a slow disk, all syncs that were counted in memory would take longer than the run.
  @Test func moreThanTheWholeIsNoShare() throws {
    let busy = environment(wall: 10, sync: 4_000_000)
    let share = try #require(self.share([trial(timed: 2), trial(syncs: 50_000)], busy))
    #expect(
      share.sentence
        == "The share of measuring in this run is unknown: at 4.0 ms each, 50,000 counted syncs would take 200 s on "
        + "its disk, and the whole run took 10 s.")
    let lines = TerminalWriter.text(share.sentence).split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= TerminalWriter.width }, "\(lines)")
    let whole = try #require(self.share([trial(timed: 2), trial(syncs: 2000)], busy))
    #expect(whole.sentence.hasPrefix("100 % of this run was measuring: "))
  }

  @Test func whatIsNotKnownIsNotSaid() throws {
    let timed = trial(timed: 2)
    let counted = trial(syncs: 7)
    // Nothing was timed: a run of counts, or with --once.
    #expect(share([counted], environment(wall: 10)) == nil)
    #expect(share([], environment(wall: 10)) == nil)
    // A part of the run was killed; the cost of a sync could not be had.
    #expect(share([timed, counted], environment(wall: nil)) == nil)
    #expect(share([timed, counted], environment(wall: 10, sync: nil)) == nil)
    #expect(share([timed], environment(wall: 10, sync: nil)) != nil)
  }

  @Test func theTimeOfARunIsKeptWithIt() throws {
    try withTemporaryDirectory { url in
      let directory = RunDirectory(url: url)
      let timed = trial(timed: 5)
      try directory.begin(Plan(of: [timed.cell], rounds: 1), environment(wall: nil))
      try Journal(directory).append(timed)
      let measured = try ReportModel(reading: directory).measured
      for (wall, share) in [(nil, nil), (8, 0.625), (nil, nil)] as [(Double?, Double?)] {
        try directory.note(wall: wall)
        #expect(try MeasuringShare(measured, directory.environment())?.share == share)
      }
    }
  }
}
