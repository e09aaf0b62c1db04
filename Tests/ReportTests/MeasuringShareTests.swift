import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageReport

/// Figures of a made-up clock.
@Suite struct MeasuringShareTests {
  private func trial(timed seconds: Double? = nil, syncs: Int? = nil) throws -> Trial {
    let cell = Cell(backend: Spec(id: "sqlite"), workload: Spec(id: "save-one"), records: 100, durability: nil)
    var trial = Trial(cell: cell, pass: seconds == nil ? .cost : .timed, started: 0, wall: 1, status: .ok)
    if let seconds {
      trial.timing = Timing(operations: 1, elapsed: Int64(seconds * 1e9), cpu: 0, p25: 1, p50: 1, clock: 1)
    }
    if let syncs {
      var cost = Cost(countedOperations: 1)
      cost.syncsSettled = syncs
      trial.cost = cost
    }
    return trial
  }

  private func environment(wall: Double?, sync: Double? = 100_000) -> MachineEnvironment {
    var environment = MachineEnvironment(machine: "m", syncCost: sync)
    environment.wall = wall
    return environment
  }

  private func share(_ trials: [Trial], _ environment: MachineEnvironment) -> MeasuringShare? {
    var measured = MeasuringShare.Measured()
    for trial in trials { measured.add(trial) }
    return MeasuringShare(measured, environment)
  }

  @Test func timedPartsAndCountedSyncsOverTheWholeTime() throws {
    let trials = try [trial(timed: 2), trial(timed: 1.5), trial(syncs: 20_000), trial(syncs: nil)]
    let share = try #require(self.share(trials, environment(wall: 10)))
    #expect(share.timed == 3.5)
    #expect(share.syncs == 20_000)
    #expect(abs(share.synced - 2) < 1e-9)
    #expect(abs(share.share - 0.55) < 1e-9)
    #expect(
      share.sentence
        == "55 % of this run was measuring: timed parts 3.5 s and 20,000 counted syncs worth 2.0 s of 10 s.")
    // Single operations that took turns with batches were measured, too.
    var both = try trial(timed: 2)
    both.timing?.singlesElapsed = 1_500_000_000
    #expect(self.share([both], environment(wall: 10))?.timed == 3.5)
    let plain = try #require(self.share([trial(timed: 5)], environment(wall: 10, sync: nil)))
    #expect(plain.sentence == "50 % of this run was measuring: timed parts 5.0 s of 10 s.")
  }

  /// Where a sync is slow, all that were counted in memory would take longer than the run.
  @Test func moreThanTheWholeIsNoShare() throws {
    let busy = environment(wall: 10, sync: 4_000_000)
    let share = try #require(self.share([trial(timed: 2), trial(syncs: 50_000)], busy))
    #expect(share.share > 1)
    #expect(
      share.sentence
        == "The share of measuring in this run is unknown: at 4.0 ms each, 50,000 counted syncs would take 200 s on "
        + "its disk, and the whole run took 10 s.")
    // On a slow disk it is too long for one line.
    let lines = TerminalWriter.text(share.sentence).split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= TerminalWriter.width }, "\(lines)")
    let whole = try #require(self.share([trial(timed: 2), trial(syncs: 2000)], busy))
    #expect(whole.sentence.hasPrefix("100 % of this run was measuring: "))
  }

  @Test func whatIsNotKnownIsNotSaid() throws {
    let timed = try trial(timed: 2)
    let counted = try trial(syncs: 7)
    // Nothing was timed: a run of counts, or with --once.
    #expect(share([counted], environment(wall: 10)) == nil)
    #expect(share([], environment(wall: 10)) == nil)
    // A part of the run was killed; the cost of a sync could not be had.
    #expect(share([timed, counted], environment(wall: nil)) == nil)
    #expect(share([timed, counted], environment(wall: 10, sync: nil)) == nil)
    #expect(share([timed], environment(wall: 10, sync: nil)) != nil)
  }

  @Test func theTimeOfARunIsKeptWithIt() throws {
    let directory = RunDirectory(path: NSTemporaryDirectory() + "share-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory.url) }
    let timed = try trial(timed: 5)
    let plan = Plan(rounds: 1, cells: [PlannedCell(cell: timed.cell, level: nil, engineVersion: "e")])
    try directory.begin(plan, environment(wall: nil))
    try Journal(directory).append(timed)
    let measured = try ReportModel(reading: directory).measured
    #expect(try MeasuringShare(measured, directory.environment()) == nil)
    try directory.note(wall: 8)
    #expect(try MeasuringShare(measured, directory.environment())?.share == 0.625)
    try directory.note(wall: nil)
    #expect(try MeasuringShare(measured, directory.environment()) == nil)
  }
}
